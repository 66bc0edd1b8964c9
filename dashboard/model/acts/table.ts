import type { Act, ActContext, ActSource, ActSubject } from './act.ts';
import { decisions } from './certificate-requests.ts';
import { finalizers } from './finalizers.ts';
import { reconciles } from './reconciles.ts';
import { runNow, suspensions } from './workloads.ts';

/** All acts, in the order in which they are displayed. */
const SOURCES: readonly ActSource[] = [decisions, runNow, suspensions, reconciles, finalizers];

/** Returns the acts that an object and its keys allow in their current state. */
export const actsOf = (subject: ActSubject, context: ActContext): readonly Act[] =>
  SOURCES.flatMap((source) => source(subject, context));
