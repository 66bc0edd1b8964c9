import { type Infer, required, string, struct } from '../schema/schema.ts';

/** Version of the server, the response of `/version`. */
export const VersionInfo = struct('apimachinery.pkg.version.Info', {
  major: required(1, string),
  minor: required(2, string),
  gitVersion: required(3, string),
  gitCommit: required(4, string),
  gitTreeState: required(5, string),
  buildDate: required(6, string),
  goVersion: required(7, string),
  compiler: required(8, string),
  platform: required(9, string),
});
export interface VersionInfo extends Readonly<Infer<typeof VersionInfo>> {}
