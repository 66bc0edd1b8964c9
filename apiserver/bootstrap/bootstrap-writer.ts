import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../api/status/api-error.ts';
import { MASTERS } from '../auth/groups.ts';
import type { Registry, WriteContext } from '../registry/registry.ts';

/** How often a write is tried again when another server wrote the object first. */
const ATTEMPTS = 10;

/**
 * Writes the objects every cluster has, as the server itself, past admission. Safe when several servers do so at the same
 * time.
 */
export interface BootstrapWriter {
  /**
   * Creates the object when there is none. When there is, `merge` says what it should become, undefined to leave it as
   * it is; without `merge` what exists is always left.
   */
  ensure<T extends ApiObject>(
    kind: Kind<T>,
    wanted: NoInfer<T>,
    merge?: (current: DeepReadonly<NoInfer<T>>) => NoInfer<T> | undefined,
  ): Promise<void>;
  /** Removes the object where there is one. */
  remove<T extends ApiObject>(kind: Kind<T>, namespace: string, name: string): Promise<void>;
}

/** `fieldManager` is who the written fields belong to. */
export function createBootstrapWriter(
  registry: Registry,
  signal: AbortSignal,
  fieldManager = 'system:apiserver',
): BootstrapWriter {
  const context: WriteContext = {
    user: { username: 'system:apiserver', groups: [MASTERS] },
    dryRun: false,
    fieldManager,
    fieldValidation: 'Ignore',
    warn: () => {},
    signal,
    // A webhook that is out of order must not keep the server from starting: who would take it away then?
    isAdmitted: true,
  };

  async function current<T extends ApiObject>(
    kind: Kind<T>,
    wanted: T,
  ): Promise<DeepReadonly<T> | undefined> {
    const { namespace = '', name = '' } = wanted.metadata ?? {};
    try {
      return (await registry.of(kind).get(namespace, name, '')).object as DeepReadonly<T>;
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }

  async function attempt<T extends ApiObject>(
    kind: Kind<T>,
    wanted: T,
    merge: (current: DeepReadonly<T>) => T | undefined,
  ): Promise<void> {
    const { namespace = '', name = '' } = wanted.metadata ?? {};
    const found = await current(kind, wanted);
    if (found === undefined) {
      await registry.of(kind).create(namespace, wanted, context);
      return;
    }
    const merged = merge(found);
    if (merged !== undefined) await registry.of(kind).update(namespace, name, '', merged, context);
  }

  return {
    async ensure(kind, wanted, merge = () => undefined) {
      for (let tries = 1; ; tries++)
        try {
          await attempt(kind, wanted, merge);
          return;
        } catch (thrown) {
          // Another server was faster, or the object went between the read and the write.
          const isRace = isAlreadyExists(thrown) || isConflict(thrown) || isNotFound(thrown);
          if (!isRace || tries === ATTEMPTS) throw thrown;
        }
    },
    async remove(kind, namespace, name) {
      try {
        await registry
          .of(kind)
          .delete(
            namespace,
            name,
            { preconditions: {}, gracePeriodSeconds: undefined, propagationPolicy: undefined },
            context,
          );
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    },
  };
}
