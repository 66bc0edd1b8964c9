import { SERVED_RELEASE } from '../apiserver/discovery/index.ts';
import { PROGRAM_VERSION } from '../base/version.ts';

/** Returns one line with the program's version, the release of its API, and the runtime. */
export function versionLine(program: string): string {
  const { node, tz = 'none' } = process.versions;
  return `${program} ${PROGRAM_VERSION} (API ${SERVED_RELEASE}, Node ${node}, time zones ${tz})\n`;
}
