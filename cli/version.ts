import { SERVED_RELEASE } from '../apiserver/discovery/version-info.ts';
import { PROGRAM_VERSION } from '../base/version.ts';

/** One line about a program: its version, the release whose API it has, and what it runs on. */
export function versionLine(program: string): string {
  const { node, tz = 'none' } = process.versions;
  return `${program} ${PROGRAM_VERSION} (API ${SERVED_RELEASE}, Node ${node}, time zones ${tz})\n`;
}
