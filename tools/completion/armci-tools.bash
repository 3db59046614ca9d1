# SPDX-License-Identifier: BSD-3-Clause
# Completion of the tools of armci-ofi for bash. Options come from what a tool's --help says.

# The options of a tool, one a line, with the name of the value if it has one: "--csv FILE".
_armci_options() {
    "$1" --help 2>/dev/null |
        sed -nE 's/^ +(-[a-z], ?)?(--[a-z][a-z-]*)( ([A-Z[][A-Za-z0-9=,.\[]*).*| .*|$)/\2 \4/p'
}

# The words that an option of a tool, or the first place of armci-plot, can have.
_armci_words() {
    case $1:$2 in
        armci-bench:--ops)
            echo all contiguous strided vector rmw sync fairness barriers memory mpi-pack raw overlap overlap-strided \
                put get acc put-strided get-strided acc-strided put-vector get-vector acc-vector fetch-add swap \
                fetch-add-contended fence barrier lock lock-fairness group-barrier mpi-barrier flag-barrier malloc malloc-write \
                mpi-pack-put mpi-pack-get raw-put raw-get raw-rmw overlap-put overlap-get overlap-acc \
                overlap-put-strided overlap-get-strided overlap-acc-strided
            ;;
        armci-bench:--modes) echo latency stream window latency-serial stream-serial ;;
        armci-bench:--pattern) echo one half pair all ;;
        armci-bench:--target-wait) echo mpi armci busy asleep ;;
        armci-bench:--handles) echo implicit explicit aggregate ;;
        armci-bench:--raw-peer) echo spin wait ;;
        armci-bench:--type) echo int long float double complex dcomplex ;;
        armci-bench:--local) echo strided dense ;;
        armci-bench:--local-memory) echo armci malloc ;;
        armci-bench:--segment-order | armci-bench:--place-order) echo even mixed ;;
        armci-plot:--y) echo linear log ;;
        armci-plot:--panels) echo none file operation mode type run size dims window actors ;;
        armci-plot:) echo latency-size bandwidth-size bandwidth-run hidden-size ratio-size times distribution ;;
    esac
}

_armci_tools() {
    local tool=${1##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local options value='' words='' done_part=''
    options=$(_armci_options "$1")
    if [[ $before == --* ]]; then
        value=$(sed -n "s/^$before //p" <<<"$options")
    fi
    COMPREPLY=()
    if [[ -n $value ]]; then
        words=$(_armci_words "$tool" "$before")
        if [[ $value == LIST && $word == *,* ]]; then
            done_part=${word%,*},
            word=${word##*,}
        fi
    elif [[ $word == -* ]]; then
        words=$(cut -d ' ' -f 1 <<<"$options")
        value=option
    elif [[ $tool == armci-plot && $COMP_CWORD == 1 ]]; then
        words=$(_armci_words armci-plot '')
        value=FILE
    elif [[ $tool == armci-plot || $tool == armci-trace ]]; then
        value=FILE
    fi
    mapfile -t COMPREPLY < <(compgen -P "$done_part" -W "$words" -- "$word")
    case $value in
        FILE | BASE | PATH | DIR)
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
            ;;
    esac
}

complete -F _armci_tools armci-bench armci-info armci-plot armci-trace armci-tune
