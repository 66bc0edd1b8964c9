import type { ControllerModel } from './controller-model.ts';
import type { EffectTable } from './effect-table.ts';
import type { FootprintRecord } from './footprint.ts';
import type { ModelServer } from './model-store.ts';
import type { Executions } from './reexecution.ts';

/** Dependencies of the model of a controller process. */
export interface ProcessModelOptions {
  readonly model: ControllerModel;
  readonly effects: EffectTable;
  readonly server: ModelServer;
  /** The last instant of the scenario's clock. */
  readonly lastMs: number;
  /** Longest requeue delay that counts as immediate, in milliseconds; default 5 s. */
  readonly soonMs?: number | undefined;
  readonly footprint?: FootprintRecord | undefined;
  /** Receives the executions of watches and handlers, so that they can be repeated. */
  readonly executions?: Executions | undefined;
}
