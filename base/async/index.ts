export { type Cancellation, type LateSignal, signalOf } from './cancellation.ts';
export { Cohort } from './cohort.ts';
export { within } from './deadline.ts';
export { type LinkedSignal, linkOf, linkSignals, onAbort, orAborted } from './linked-signal.ts';
export { type Soon, inTurn, orElse, rejecting, toTheEnd, whenThere } from './soon.ts';
