function __pgnfs_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l found (command $words[1] complete -- $words 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $words[-1]
    end
end

complete -c pgnfs -f -a '(__pgnfs_candidates)'
