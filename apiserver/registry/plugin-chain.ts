import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { AdmissionPlugin, Operation } from '../request.ts';

/** The plugins that have something to do for an operation on a kind, phase by phase. */
export interface Phases {
  readonly mutating: readonly AdmissionPlugin[];
  readonly allocating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
  /** Those of `mutating` that may change objects of the kind. */
  readonly changing: readonly AdmissionPlugin[];
}

type ByOperation = { [O in Operation]?: Phases };

/** Admission plugins in the order they run. */
export class PluginChain {
  readonly #plugins: readonly AdmissionPlugin[];
  /** Here, and not in a table of all chains: what such a table points to outlives its server for the collector of the young. */
  readonly #byKind = new WeakMap<object, ByOperation>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Sought out once: who is not concerned is neither called nor waited for. */
  phasesOf(kind: AnyKind, operation: Operation): Phases {
    let byOperation = this.#byKind.get(kind);
    if (byOperation === undefined) this.#byKind.set(kind, (byOperation = {}));
    return (byOperation[operation] ??= choose(this.#plugins, operation, kind));
  }
}

function choose(plugins: readonly AdmissionPlugin[], operation: Operation, kind: AnyKind): Phases {
  const concerned = plugins.filter(
    (plugin) => plugin.operations.includes(operation) && (plugin.concerns?.(kind) ?? true),
  );
  const mutating = concerned.filter((plugin) => plugin.mutate);
  return {
    mutating,
    allocating: concerned.filter((plugin) => plugin.allocate),
    validating: concerned.filter((plugin) => plugin.validate),
    changing: mutating.filter((plugin) => plugin.mutates?.(kind) ?? true),
  };
}
