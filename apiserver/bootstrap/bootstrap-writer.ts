import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../../api/status/index.ts';
import { OWN_USER, PLAIN_DELETION, ownWrite } from '../registry/write/own-requests.ts';
import type { Registry, WriteContext } from '../registry/registry.ts';

/** Maximum number of attempts to write an object that other servers write at the same time. */
const ATTEMPTS = 10;

/**
 * Writer of the objects that every cluster has. It writes as the server's own user and bypasses admission.
 * Several servers may write at the same time.
 */
export interface BootstrapWriter {
  /**
   * Creates the object if it does not exist. If the object exists, `merge` returns its next state, or
   * undefined to leave it unchanged. Without `merge`, an existing object is never changed.
   */
  ensure<T extends ApiObject>(
    kind: Kind<T>,
    wanted: NoInfer<T>,
    merge?: (current: DeepReadonly<NoInfer<T>>) => NoInfer<T> | undefined,
  ): Promise<void>;
  /** Deletes the object if it exists. */
  remove<T extends ApiObject>(kind: Kind<T>, namespace: string, name: string): Promise<void>;
}

/** Creates a writer; `fieldManager` owns the written fields. */
export const createBootstrapWriter = (
  registry: Pick<Registry, 'of'>,
  signal: AbortSignal,
  fieldManager = OWN_USER,
): BootstrapWriter =>
  new RegistryWriter(registry, {
    ...ownWrite(signal, fieldManager),
    // A broken webhook must not prevent the server from starting, as its configuration could then not be
    // deleted.
    isAdmitted: true,
  });

class RegistryWriter implements BootstrapWriter {
  readonly #registry: Pick<Registry, 'of'>;
  readonly #context: WriteContext;

  constructor(registry: Pick<Registry, 'of'>, context: WriteContext) {
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
        if (tries === ATTEMPTS || !(await this.#isRace(kind, wanted, thrown))) throw thrown;
      }
  }

  /** True if another server wrote or deleted the object between the read and the write. */
  async #isRace<T extends ApiObject>(kind: Kind<T>, wanted: T, thrown: unknown): Promise<boolean> {
    if (isAlreadyExists(thrown) || isConflict(thrown) || isNotFound(thrown)) return true;
    if (!isInvalid(thrown)) return false;
    // Another server that creates the same Service has allocated the address, so this Service is invalid.
    const { namespace = '', name = '' } = wanted.metadata ?? {};
    return (await this.#current(kind, namespace, name)) !== undefined;
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
