import { SERVED_RELEASE } from '../apiserver/discovery/version-info.ts';

/** That of these programs, as package.json has it. */
export const PROGRAM_VERSION = '0.1.0';

/** One line about a program: its version, the release whose API it has, and what it runs on. */
export function versionLine(program: string): string {
  const { node, tz = 'none' } = process.versions;
  return `${program} ${PROGRAM_VERSION} (API ${SERVED_RELEASE}, Node ${node}, time zones ${tz})\n`;
}
