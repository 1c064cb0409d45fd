function __perfproof_completion
    set -l found (perfproof completion --answer (commandline -cp | string collect) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c perfproof -f -a '(__perfproof_completion)'
