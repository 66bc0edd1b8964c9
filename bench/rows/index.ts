import type { Row } from '../row.ts';
import { applyRow } from './apply.ts';
import { authorizationRow } from './authorization.ts';
import { certificatesRow } from './certificates.ts';
import { cronJobsRow } from './cronjobs.ts';
import { dependentsRow } from './dependents.ts';
import { journalRow } from './journal.ts';
import { idleMemoryRow, liveMemoryRow, objectMemoryRow } from './memory.ts';
import { getRow, listRow } from './read.ts';
import { selectorRow } from './selector.ts';
import { startRow } from './start.ts';
import { watchRow } from './watch.ts';
import { writeRow } from './write.ts';

/** All rows, in the order in which they run. */
export const rows: readonly Row[] = [
  getRow,
  listRow,
  selectorRow,
  writeRow,
  watchRow,
  certificatesRow,
  cronJobsRow,
  dependentsRow,
  journalRow,
  startRow,
  idleMemoryRow,
  objectMemoryRow,
  liveMemoryRow,
  authorizationRow,
  applyRow,
];
