/** Version of the programs, equal to package.json. */
export const PROGRAM_VERSION = '0.1.0';
