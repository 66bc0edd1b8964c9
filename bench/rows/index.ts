import type { Row } from '../row.ts';
import { authorizationRow } from './authorization.ts';
import { certificatesRow } from './certificates.ts';
import { cronJobsRow } from './cronjobs.ts';
import { dependentsRow } from './dependents.ts';
import { idleMemoryRow, objectMemoryRow } from './memory.ts';
import { getRow, listRow } from './read.ts';
import { startRow } from './start.ts';
import { watchRow } from './watch.ts';
import { writeRow } from './write.ts';

export const rows: readonly Row[] = [
  getRow,
  listRow,
  writeRow,
  watchRow,
  certificatesRow,
  cronJobsRow,
  dependentsRow,
  startRow,
  idleMemoryRow,
  objectMemoryRow,
  authorizationRow,
];
