import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../api/status/index.ts';
import { OWN_USER, PLAIN_DELETION, ownWrite } from '../registry/write/own-requests.ts';
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
export const createBootstrapWriter = (
  registry: Registry,
  signal: AbortSignal,
  fieldManager = OWN_USER,
): BootstrapWriter =>
  new RegistryWriter(registry, {
    ...ownWrite(signal, fieldManager),
    // A webhook that is out of order must not keep the server from starting: who would take it away then?
    isAdmitted: true,
  });

class RegistryWriter implements BootstrapWriter {
  readonly #registry: Registry;
  readonly #context: WriteContext;

  constructor(registry: Registry, context: WriteContext) {
    this.#registry = registry;
    this.#context = context;
  }

  async ensure<T extends ApiObject>(
    kind: Kind<T>,
    wanted: NoInfer<T>,
    merge: (current: DeepReadonly<NoInfer<T>>) => NoInfer<T> | undefined = () => undefined,
  ): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        await this.#attempt(kind, wanted, merge);
        return;
      } catch (thrown) {
        // Another server was faster, or the object went between the read and the write.
        const isRace = isAlreadyExists(thrown) || isConflict(thrown) || isNotFound(thrown);
        if (!isRace || tries === ATTEMPTS) throw thrown;
      }
  }

  async remove<T extends ApiObject>(kind: Kind<T>, namespace: string, name: string): Promise<void> {
    try {
      await this.#registry.of(kind).delete(namespace, name, PLAIN_DELETION, this.#context);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }

  async #attempt<T extends ApiObject>(
    kind: Kind<T>,
    wanted: T,
    merge: (current: DeepReadonly<T>) => T | undefined,
  ): Promise<void> {
    const { namespace = '', name = '' } = wanted.metadata ?? {};
    const found = await this.#current(kind, namespace, name);
    if (found === undefined) {
      await this.#registry.of(kind).create(namespace, wanted, this.#context);
      return;
    }
    const merged = merge(found);
    if (merged !== undefined)
      await this.#registry.of(kind).update(namespace, name, '', merged, this.#context);
  }

  async #current<T extends ApiObject>(
    kind: Kind<T>,
    namespace: string,
    name: string,
  ): Promise<DeepReadonly<T> | undefined> {
    try {
      return (await this.#registry.of(kind).get(namespace, name, '')).object as DeepReadonly<T>;
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }
}
