import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM_VERSION } from '../../base/version.ts';
import { versionLine } from './version.ts';

it('versionLine contains the versions of the package, of the API and of the time zone data', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(PROGRAM_VERSION).toBe(version);
  expect(versionLine('program')).toMatch(
    /^program \d+\.\d+\.\d+ \(API v1\.24\.\d+, Node \d+\.\d+\.\d+, time zones \d{4}[a-z]\)\n$/,
  );
});
