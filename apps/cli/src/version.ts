declare const CHAIRSIDE_CLI_VERSION: string;
declare const CHAIRSIDE_CLI_HELP: string;

/** The version of this package; `source` when it runs from its sources. */
export const VERSION = typeof CHAIRSIDE_CLI_VERSION === 'string' ? CHAIRSIDE_CLI_VERSION : 'source';

/** The help of the whole program, created by the build; undefined when it runs from its sources. */
export const HELP = typeof CHAIRSIDE_CLI_HELP === 'string' ? CHAIRSIDE_CLI_HELP : undefined;
