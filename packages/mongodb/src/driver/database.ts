import type {
  AggregateOptions,
  CommandOperationOptions,
  Db,
  Document,
  Collection as DriverCollection,
  Filter,
  FindCursor,
  FindOptions,
  WithId,
} from 'mongodb';

/** The methods that send a statement, and the position of the options among their arguments. */
const OPTIONS_AT = {
  aggregate: 1,
  bulkWrite: 1,
  countDocuments: 1,
  deleteMany: 1,
  deleteOne: 1,
  find: 1,
  findOne: 1,
  findOneAndUpdate: 2,
  insertMany: 1,
  insertOne: 1,
  updateMany: 2,
  updateOne: 2,
} as const satisfies Partial<Record<keyof DriverCollection, number>>;

type Method = keyof typeof OPTIONS_AT;

/** The rows that a query finds. They can be read once. Abandoning the iteration closes the cursor of the database. */
export type Rows<D> = AsyncIterable<D> & { toArray(): Promise<D[]> };

/** A collection: what this project uses of that of the driver, and nothing else. */
export type Collection<D extends Document = Document> = Pick<
  DriverCollection<D>,
  Exclude<Method, 'find' | 'aggregate'> | 'collectionName'
> & {
  find(filter?: Filter<D>, options?: FindOptions): Rows<WithId<D>>;
  find<T extends Document>(filter: Filter<D>, options?: FindOptions): Rows<T>;
  aggregate<T extends Document = Document>(pipeline?: Document[], options?: AggregateOptions): Rows<T>;
};

/** How the statements of a database are sent. */
export type Manner = {
  /** Options of a method that a statement has unless it sets them itself. */
  optionsOf?(method: Method): CommandOperationOptions;
  /** Sends a statement, or fetches a batch of its rows. */
  around?: Around;
};

/** Performs a statement on a collection. */
type Around = <T>(statement: () => Promise<T>, collection: string) => Promise<T>;

/** The number of rows of a batch that are parsed at once. */
const PARSED_AT_ONCE = 10;

/** Reads each batch of rows in a statement of its own, which has ended when its rows are read. */
async function* rowsOfBatches<D>(
  cursor: FindCursor<D>,
  fetch: <T>(statement: () => Promise<T>) => Promise<T>,
): AsyncGenerator<D, void> {
  try {
    // Without a further batch, no statement is needed.
    const mayFetch = (): boolean => cursor.id?.isZero() !== true;
    while (cursor.bufferedCount() > 0 || (mayFetch() && (await fetch(() => cursor.hasNext())))) {
      // A batch is parsed in parts, because its reader may stop early. A `yield*` would cost several times as much.
      for (const row of cursor.readBufferedDocuments(PARSED_AT_ONCE)) yield row;
    }
  } finally {
    await cursor.close();
  }
}

/** Sends each statement in the manner of its database. */
class Statements {
  readonly #driver: DriverCollection;
  readonly #manner: Manner;

  constructor(driver: DriverCollection, manner: Manner) {
    this.#driver = driver;
    this.#manner = manner;
  }

  get collectionName(): string {
    return this.#driver.collectionName;
  }

  find(...given: unknown[]) {
    return this.#query('find', given);
  }
  aggregate(...given: unknown[]) {
    return this.#query('aggregate', given);
  }
  bulkWrite(...given: unknown[]) {
    return this.#send('bulkWrite', given);
  }
  countDocuments(...given: unknown[]) {
    return this.#send('countDocuments', given);
  }
  deleteMany(...given: unknown[]) {
    return this.#send('deleteMany', given);
  }
  deleteOne(...given: unknown[]) {
    return this.#send('deleteOne', given);
  }
  findOne(...given: unknown[]) {
    return this.#send('findOne', given);
  }
  findOneAndUpdate(...given: unknown[]) {
    return this.#send('findOneAndUpdate', given);
  }
  insertMany(...given: unknown[]) {
    return this.#send('insertMany', given);
  }
  insertOne(...given: unknown[]) {
    return this.#send('insertOne', given);
  }
  updateMany(...given: unknown[]) {
    return this.#send('updateMany', given);
  }
  updateOne(...given: unknown[]) {
    return this.#send('updateOne', given);
  }

  #call(method: Method, given: unknown[]): unknown {
    const { optionsOf } = this.#manner;
    const at = OPTIONS_AT[method];
    if (optionsOf !== undefined) given[at] = { ...optionsOf(method), ...(given[at] as object | undefined) };
    return Reflect.apply(this.#driver[method], this.#driver, given);
  }

  async #run<T>(statement: () => Promise<T>): Promise<T> {
    const { around } = this.#manner;
    return around === undefined ? statement() : around(statement, this.collectionName);
  }

  #send(method: Method, given: unknown[]): Promise<unknown> {
    return this.#run(async () => this.#call(method, given));
  }

  #query(method: 'find' | 'aggregate', given: unknown[]): Rows<unknown> {
    const cursor = this.#call(method, given) as FindCursor;
    if (this.#manner.around === undefined) return cursor;
    return {
      toArray: () => this.#run(() => cursor.toArray()),
      [Symbol.asyncIterator]: () => rowsOfBatches(cursor, (fetch) => this.#run(fetch)),
    };
  }
}

/** A database whose statements are sent in a certain manner. */
export class Database {
  /** The database of the driver, for what is no statement on documents: indexes, views, commands, sessions. */
  readonly driver: Db;
  readonly #manner: Manner;
  readonly #collections: Map<string, DriverCollection>;

  /** @param collections those of the driver, which databases that differ only in their manner share */
  constructor(driver: Db, manner: Manner = {}, collections = new Map<string, DriverCollection>()) {
    this.driver = driver;
    this.#manner = manner;
    this.#collections = collections;
  }

  collection<D extends Document = Document>(name: string): Collection<D> {
    const collection = this.#collections.get(name) ?? this.driver.collection(name);
    this.#collections.set(name, collection);
    return new Statements(collection, this.#manner) as unknown as Collection<D>;
  }

  /** The same database, whose statements are sent in a further manner, too. */
  with({ optionsOf, around }: Manner): Database {
    const inner = this.#manner;
    const manner: Manner = {
      ...inner,
      ...(optionsOf && { optionsOf: (method) => ({ ...inner.optionsOf?.(method), ...optionsOf(method) }) }),
      ...(around && {
        around: (statement, collection) =>
          around(() => inner.around?.(statement, collection) ?? statement(), collection),
      }),
    };
    return new Database(this.driver, manner, this.#collections);
  }
}
