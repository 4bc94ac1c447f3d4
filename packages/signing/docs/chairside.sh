#!/usr/bin/env bash
# Usage: CHAIRSIDE_WEBHOOK_SECRET=whsec_... ./chairside.sh "$header" body.json [unix time]
# For manual checks. Do not use it on a server: the key is visible in the list of processes, and bash does not compare
# in constant time.
set -euo pipefail
export LC_ALL=C
header=$1 body=$2 now=${3:-$(date +%s)} secret=${CHAIRSIDE_WEBHOOK_SECRET:-}

refuse() { echo "$1" >&2; exit 1; }

[[ ${#secret} -ge 16 && $secret != [[:space:]]* && $secret != *[[:space:]] ]] || refuse bad_secret
[[ $header ]] || refuse missing_header
((${#header} <= 4096)) || refuse malformed_header
times=() signatures=() rest="$header,"
while [[ $rest ]]; do
  part=${rest%%,*} rest=${rest#*,}
  rest=${rest#"${rest%%[! $'\t']*}"}
  if [[ $part =~ ^t=[0-9]{1,12}$ ]]; then times+=("${part#t=}")
  elif [[ $part =~ ^v1=[0-9A-Fa-f]{64}$ ]]; then signatures+=("${part#v1=}")
  elif [[ $part == t=* || $part == v1=* || ! $part =~ ^[!-\<\>-~]+=[!-\<\>-~]*$ ]]; then refuse malformed_header
  fi
done
((${#times[@]} == 1 && ${#signatures[@]} <= 16)) || refuse malformed_header
((${#signatures[@]} >= 1)) || refuse no_signature

expected=$({ printf '%s.' "${times[0]}"; cat "$body"; } | openssl dgst -sha256 -hmac "$secret" -r)
equal=no
for signature in "${signatures[@]}"; do
  [[ $(tr A-F a-f <<<"$signature") == "${expected%% *}" ]] && equal=yes
done
[[ $equal == yes ]] || refuse mismatch

age=$((now - 10#${times[0]}))
((age <= 300)) || refuse too_old
((age >= -300)) || refuse too_new
echo "signed at ${times[0]}"
