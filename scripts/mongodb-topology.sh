#!/bin/sh
# Starts MongoDB in containers for the tests. When MongoDB accepts writes, it prints MONGODB_URL=… as its last line.
#
#   scripts/mongodb-topology.sh standalone|replica-set|sharded <tag of the image mongo>
#   scripts/mongodb-topology.sh stop
#
# It needs Docker on Linux. The servers listen on 127.0.0.1, ports 27017 to 27020, and `stop` removes them with their data.
# Untested: no container engine was available while this file was written.
set -eu

LABEL=chairside-topology
WAIT_SECONDS=90

fail() {
  echo "$1" >&2
  exit 1
}

# launch <name> <port> <arguments of the image…>
launch() {
  launched=$1
  port=$2
  shift 2
  docker run -d --name "chairside-$launched" --label "$LABEL" --network host "mongo:$tag" \
    "$@" --bind_ip 127.0.0.1 --port "$port" >&2
}

# launch_mongod <name> <port> <more arguments…>
launch_mongod() {
  mongod=$1
  mongod_port=$2
  shift 2
  launch "$mongod" "$mongod_port" --wiredTigerCacheSizeGB 0.5 "$@"
  wait_until "$mongod" "$mongod_port" 'db.adminCommand({ ping: 1 }).ok === 1'
}

# evaluate <name> <port> <JavaScript>
evaluate() {
  docker exec "chairside-$1" mongosh --quiet --port "$2" --eval "$3"
}

# wait_until <name> <port> <JavaScript that becomes true>
wait_until() {
  waited=0
  until [ "$(evaluate "$1" "$2" "$3" 2>/dev/null)" = true ]; do
    waited=$((waited + 1))
    if [ "$waited" -gt "$WAIT_SECONDS" ]; then
      docker logs --tail 40 "chairside-$1" >&2
      fail "$1 on port $2 is not ready after $WAIT_SECONDS s. Its last log lines are above."
    fi
    sleep 1
  done
}

# initiate <name of a member> <set, with more fields of its configuration> <port of each member…>
initiate() {
  member=$1
  set_fields=$2
  shift 2
  members=
  index=0
  for each in "$@"; do
    members="$members{ _id: $index, host: '127.0.0.1:$each' }, "
    index=$((index + 1))
  done
  evaluate "$member" "$1" "rs.initiate({ _id: $set_fields, members: [$members] })" >&2
  wait_until "$member" "$1" 'db.hello().primary !== undefined'
}

standalone() {
  launch_mongod standalone 27017
  echo 'MONGODB_URL=mongodb://127.0.0.1:27017/'
}

# Three members with data, so that the primary can step down.
replica_set() {
  for port in 27017 27018 27019; do
    launch_mongod "member-$port" "$port" --replSet rs0
  done
  initiate member-27017 "'rs0'" 27017 27018 27019
  echo 'MONGODB_URL=mongodb://127.0.0.1:27017,127.0.0.1:27018,127.0.0.1:27019/?replicaSet=rs0'
}

# Two shards of one member each. The tests shard their collections themselves.
sharded() {
  launch_mongod config 27019 --configsvr --replSet config
  initiate config "'config', configsvr: true" 27019
  launch mongos 27017 mongos --configdb config/127.0.0.1:27019
  wait_until mongos 27017 "db.hello().msg === 'isdbgrid'"
  for port in 27018 27020; do
    launch_mongod "shard-$port" "$port" --shardsvr --replSet "shard-$port"
    initiate "shard-$port" "'shard-$port'" "$port"
    evaluate mongos 27017 "sh.addShard('shard-$port/127.0.0.1:$port')" >&2
  done
  wait_until mongos 27017 'db.adminCommand({ listShards: 1 }).shards.length === 2'
  echo 'MONGODB_URL=mongodb://127.0.0.1:27017/'
}

stop() {
  containers=$(docker ps -aq --filter "label=$LABEL")
  # Unquoted, because each id must be a separate argument.
  # shellcheck disable=SC2086
  [ -z "$containers" ] || docker rm -f -v $containers >&2
}

topology=${1:-}
tag=${2:-}
case "$topology" in
  stop) stop ;;
  standalone | replica-set | sharded)
    [ -n "$tag" ] || fail "The tag of the image mongo is missing. Example: $0 $topology 8.0.29-noble"
    "$(echo "$topology" | tr - _)"
    ;;
  *) fail "Unknown topology. Usage: $0 standalone|replica-set|sharded <tag of the image mongo>, or $0 stop" ;;
esac
