import type { AnyKind } from '../../../api/kinds/index.ts';
import type { AdmissionPlugin, Operation } from '../../request.ts';

/** Plugins for one operation on a kind, by phase, in the order in which they run. */
export interface Phases {
  readonly mutating: readonly AdmissionPlugin[];
  readonly allocating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
  /** Plugins of `mutating` that may change objects of the kind. */
  readonly changing: readonly AdmissionPlugin[];
}

type ByOperation = { [O in Operation]?: Phases };

/** All admission plugins, by kind, operation and phase. */
export class PluginPhases {
  readonly #plugins: readonly AdmissionPlugin[];
  /** One table per instance: V8's young-generation collector keeps alive what a global table points to. */
  readonly #byKind = new WeakMap<object, ByOperation>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /**
   * Returns the plugins of a kind and operation. They are chosen once, so that other plugins are neither
   * called nor awaited.
   */
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
