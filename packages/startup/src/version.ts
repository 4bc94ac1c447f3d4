import manifest from '../package.json' with { type: 'json' };

/** The version of the services. All services of a release have the same one: see `fixed` in .changeset/config.json. */
export const VERSION: string = manifest.version;
