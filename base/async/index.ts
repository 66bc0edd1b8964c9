export { type Cancellation, type LateSignal, signalOf } from './cancellation.ts';
export { Cohort } from './cohort.ts';
export { type Soon, inTurn, orElse, rejecting, toTheEnd, whenThere } from './soon.ts';
