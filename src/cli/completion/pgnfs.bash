_pgnfs() {
    # Bash splits --name=value into three words.
    local word words=() at=$((COMP_CWORD + 1)) prefix
    for word in "${COMP_WORDS[@]:0:at}"; do
        if ((${#words[@]} > 1)) && [[ ${words[-1]} == --* && $word == = || ${words[-1]} == --*= ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    mapfile -t COMPREPLY < <("$1" complete -- "${words[@]}" 2>/dev/null | cut -f 1)
    # Paths of mounts are quoted; a command is not taken for a folder of the same name.
    if [[ ${COMPREPLY-} == /* ]]; then
        compopt -o filenames 2>/dev/null
    # The value of a field follows it at once.
    elif [[ ${COMPREPLY-} == *: ]]; then
        compopt -o nospace 2>/dev/null
    fi
    # Bash replaces only what follows the sign.
    if [[ ${words[-1]} == --*=* ]]; then
        prefix=${words[-1]%%=*}=
        COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    fi
}

complete -F _pgnfs -o nosort -o bashdefault -o default pgnfs
