#!/usr/bin/env bash
# Usage: CHAIRSIDE_WEBHOOK_SECRET=whsec_... ./chairside.sh "$header" body.json [unix time]
# For manual checks. Do not use it on a server: the key is visible in the list of processes, and bash does not compare
# in constant time.
set -euo pipefail
export LC_ALL=C
header=$1 body=$2 now=${3:-$(date +%s)} tolerance=300

refuse() { echo "$1" >&2; exit 1; }

times=() signatures=() rest="$header,"
((${#header} <= 4096)) || refuse 'malformed header'
while [[ $rest ]]; do
  part=${rest%%,*} rest=${rest#*,}
  rest=${rest#"${rest%%[! $'\t']*}"}
  if [[ $part =~ ^t=[0-9]{1,12}$ ]]; then times+=("${part#t=}")
  elif [[ $part =~ ^v1=[0-9A-Fa-f]{64}$ ]]; then signatures+=("${part#v1=}")
  elif [[ $part == t=* || $part == v1=* || ! $part =~ ^[!-\<\>-~]+=[!-\<\>-~]*$ ]]; then refuse 'malformed header'
  fi
done
((${#times[@]} == 1 && ${#signatures[@]} >= 1 && ${#signatures[@]} <= 16)) || refuse 'malformed header'

expected=$({ printf '%s.' "${times[0]}"; cat "$body"; } | openssl dgst -sha256 -hmac "$CHAIRSIDE_WEBHOOK_SECRET" -r)
equal=no
for signature in "${signatures[@]}"; do
  [[ $(tr A-F a-f <<<"$signature") == "${expected%% *}" ]] && equal=yes
done
[[ $equal == yes ]] || refuse 'signature mismatch'

age=$((now - 10#${times[0]}))
((${age#-} <= tolerance)) || refuse 'signed too long ago, or in the future'
echo "signed at ${times[0]}"
