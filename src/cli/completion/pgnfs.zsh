#compdef pgnfs

local line
local -a values lines
for line in ${(f)"$("${(Q)words[1]}" complete -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)"}; do
    values+=("${line%%$'\t'*}")
    lines+=("${line/$'\t'/  -- }")
done
if [[ ${values[1]-} == *: ]]; then
    # The value of a field follows it at once.
    compadd -S '' -l -d lines -a values
elif (( $#values )); then
    compadd -l -d lines -a values
else
    _files
fi
