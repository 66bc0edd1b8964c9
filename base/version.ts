/** Version of the programs; equal to the version in package.json. */
export const PROGRAM_VERSION = '0.1.0';
