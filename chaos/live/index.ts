export { type CarriedWrites, createCarriedWrites, stampArrivals } from './carried.ts';
export type { LiveStrike } from './disturber.ts';
export {
  type HeldStrikes,
  type LiveFault,
  connectionPlan,
  holdStrikes,
  isProcessFault,
  liveFaults,
} from './faults.ts';
export { OLDEST_MS, runLive } from './live.ts';
export { type Program, createProgram } from './program.ts';
export type { JudgedRecording } from './recording.ts';
export type { Connection, LiveSystem, Manager } from './system.ts';
