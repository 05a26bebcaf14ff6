_pgnfs() {
    mapfile -t COMPREPLY < <("$1" complete -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f 1)
    # Paths of mounts are quoted; a command is not taken for a folder of the same name.
    if [[ ${COMPREPLY-} == /* ]]; then
        compopt -o filenames 2>/dev/null
    # The value of a field follows it at once.
    elif [[ ${COMPREPLY-} == *: ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _pgnfs -o nosort -o bashdefault -o default pgnfs
