#!/bin/sh
# A substitute for LSF's load manager and submission: it starts an elim and an esub as LSF does, and checks
# their output against the protocol. Usage: manager.sh QSCOPE FOLDER POLICIES LINES
set -u
qscope=$1 folder=$2 policies=$3 lines=$4
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

# The elim: LINES lines, each "N name value ...", then the pipe is closed.
mkfifo "$work/pipe" || exit 3
LSF_RESOURCES="tmp packing_atlas packing_lhcb" ELIM_ABORT_VALUE=99 \
    "$qscope" elim n1 "$folder" --loop --every 0.3 --policy-file "$policies" >"$work/pipe" 2>"$work/log" &
elim=$!
exec 3<"$work/pipe"
i=0
while [ "$i" -lt "$lines" ]; do
    read -r count rest <&3 || exit 4
    set -- $rest
    [ $# -eq $((count * 2)) ] || { echo "not $count pairs: $rest"; exit 5; }
    echo "line $count $rest"
    i=$((i + 1))
done
exec 3<&-
wait "$elim"
echo "elim $?"

# A host that is not in the folder: the elim must not be started again.
ELIM_ABORT_VALUE=99 "$qscope" elim elsewhere "$folder" --loop --policy-file "$policies" </dev/null
echo "elsewhere $?"

# Submissions: the parameter file, the modify file, the exit code.
submit() {
    printf '%s\n' "$@" >"$work/parm"
    : >"$work/modify"
    LSB_SUB_PARM_FILE="$work/parm" LSB_SUB_MODIFY_FILE="$work/modify" LSB_SUB_ABORT_VALUE=97 \
        "$qscope" esub --lsf --policy-file "$policies" >"$work/out" 2>"$work/err"
    code=$?
    [ -s "$work/out" ] && { echo "wrote to the output"; exit 6; }
    if [ "$code" -eq 97 ]; then echo "rejected $(cat "$work/err")"; else echo "accepted $(cat "$work/modify")"; fi
}
submit 'LSB_SUB_QUEUE="long"' 'LSB_SUB_USER_GROUP="atlas"'
submit 'LSB_SUB_USER_GROUP="atlas"' 'LSB_SUB_RES_REQ="select[mem>100] order[ut] span[hosts=1]"' 'LSB_SUB_NUM_PROCESSORS=4'
submit 'LSB_SUB_USER_GROUP="lhcb"' 'LSB_SUB_EXCLUSIVE=Y'
submit 'LSB_SUB_USER_GROUP="atlas"' 'LSB_SUB_RES_REQ="2*{select[a]}+{select[b]}"'
submit 'LSB_SUB_USER_GROUP="cms"'

# When the parent of a loop ends, the loop ends too. A process that has ended and waits to be reaped (Z)
# counts as ended.
alive() {
    kill -0 "$1" 2>/dev/null && ! grep -qs ') Z ' "/proc/$1/stat"
}
sh -c '"$0" elim n1 "$1" --loop --every 0.3 --policy-file "$2" >/dev/null 2>&1 & echo $! >"$3"; sleep 1' \
    "$qscope" "$folder" "$policies" "$work/orphan"
orphan=$(cat "$work/orphan")
i=0
while alive "$orphan" && [ "$i" -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
if alive "$orphan"; then
    echo "orphan stays"
    kill "$orphan"
else
    echo "orphan ended"
fi
