import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS_FILE, type UnitTestSettings } from '../../chaos/mutants/source/unit-tests.ts';

/** Reads the settings that `orch chaos mutants --source` wrote to the copy. */
export const readSettings = (): UnitTestSettings =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', SETTINGS_FILE), 'utf8')) as UnitTestSettings;
