import type { Db } from 'mongodb';

/** What kind of deployment the database is. */
export type Topology = {
  kind: 'standalone' | 'replicaSet' | 'sharded';
  /** Members of the replica set with data, and arbiters; 0 for other kinds. */
  dataMembers: number;
  arbiters: number;
};

/** Asks the database for its topology. */
export const inspectTopology = async (database: Db): Promise<Topology> => {
  const hello = await database.admin().command({ hello: 1 });
  const kind =
    hello.msg === 'isdbgrid' ? 'sharded' : hello.setName === undefined ? 'standalone' : 'replicaSet';
  const { hosts = [], passives = [], arbiters = [] } = kind === 'replicaSet' ? hello : {};
  return {
    kind,
    dataMembers: hosts.length + passives.length,
    arbiters: arbiters.length,
  };
};
