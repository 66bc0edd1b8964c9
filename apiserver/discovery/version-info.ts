import type { VersionInfo } from '../../api/types/version.ts';

/** Kubernetes release whose API is served. */
export const SERVED_RELEASE = 'v1.24.17';

/** Git's null commit ID, as clients expect a hexadecimal commit ID. */
const NO_COMMIT = '0'.repeat(40);

/** Returns the document of `/version` for a release such as `v1.24.17`. */
export function versionInfo(gitVersion: string): VersionInfo {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: NO_COMMIT,
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: 'v8',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
