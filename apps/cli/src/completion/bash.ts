/**
 * The script for bash. That of the library needs the package bash-completion, reports read-only variables when it is
 * loaded twice, and evaluates the words that the user has typed. This one runs in bash 3.2, the bash of macOS.
 */
export const BASH_SCRIPT = `# bash completion for chairside

__chairside_complete() {
    local rest=\${COMP_LINE:0:COMP_POINT} words=() count=0 index word space
    # Readline splits words at "=" and ":". They are joined again where no space separates them.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        space=\${rest%%[![:space:]]*}
        rest=\${rest#"$space"}
        word=\${COMP_WORDS[index]}
        # The cursor can be inside the last word.
        if ((index == COMP_CWORD)); then word=$rest; fi
        rest=\${rest#"$word"}
        if [[ $space || $count -eq 0 ]]; then
            words[count++]=$word
        else
            words[count - 1]=\${words[count - 1]}$word
        fi
    done

    # Readline replaces only the last part of a joined word.
    local current=\${words[count - 1]} before=
    case $word in
        = | :) before=$current ;;
        *) before=\${current%"$word"} ;;
    esac

    local line directive=0
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :* ]]; then
            directive=\${line#:}
            continue
        fi
        line=\${line%%$'\\t'*}
        if [[ $line && $before$line == "$current"* ]]; then
            COMPREPLY+=("$line")
        elif [[ $line && $line == "$current"* ]]; then
            COMPREPLY+=("\${line#"$before"}")
        fi
    done < <(chairside complete -- "\${words[@]:1}" 2>/dev/null)

    # 4: no names of files.
    if ((\${#COMPREPLY[@]} == 0 && (directive & 4) == 0)); then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -f -- "$word")
    fi
}

complete -F __chairside_complete chairside
`;
