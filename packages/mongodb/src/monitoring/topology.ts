import type { Db } from 'mongodb';

/** What kind of deployment the database is, and how its clock differs from that of this process. */
export type Topology = {
  kind: 'standalone' | 'replicaSet' | 'sharded';
  /** Members of the replica set with data, and arbiters; 0 for other kinds. */
  dataMembers: number;
  arbiters: number;
  /** The clock of the primary (of the mongos, if the database is sharded) minus that of this process. */
  clockOffsetMs: number;
};

/** Asks the database for its topology and its time. */
export const inspectTopology = async (database: Db): Promise<Topology> => {
  const sentAt = Date.now();
  const hello = await database.admin().command({ hello: 1 });
  // The time in the response is that of a moment between the request and the response.
  const middle = (sentAt + Date.now()) / 2;
  const kind =
    hello.msg === 'isdbgrid' ? 'sharded' : hello.setName === undefined ? 'standalone' : 'replicaSet';
  const { hosts = [], passives = [], arbiters = [] } = kind === 'replicaSet' ? hello : {};
  return {
    kind,
    dataMembers: hosts.length + passives.length,
    arbiters: arbiters.length,
    clockOffsetMs: Math.round(hello.localTime.getTime() - middle),
  };
};
