import { isDeepStrictEqual } from 'node:util';
import { customKinds } from '../../api/extensions/index.ts';
import type { AnyKind, Kind } from '../../api/kinds/index.ts';
import { chargeTree, writeJson } from '../../api/schema/index.ts';
import { isConflict, isNotFound } from '../../api/status/index.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-v1.ts';
import { WorkBudget, charged, inSteps } from '../../base/budget/index.ts';
import { type Timer, backoffMs, toTime } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { asError } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Catalogue } from '../catalogue.ts';
import { cleanupFinalizer } from '../registry/delete/definition-mark.ts';
import { EVERYTHING, ownWrite } from '../registry/write/own-requests.ts';
import type { CustomKind, ObjectReader, Registry, WriteContext } from '../registry/registry.ts';
import { type Definition, type Finding, isTrue, withCondition } from './conditions.ts';
import { deleteInstances } from './instances.ts';
import { Unpublished } from './publication.ts';
import { decideStatus, sameStatus } from './status.ts';
import type { ConverterOf } from './webhook-conversion.ts';

/** Component that reconciles CustomResourceDefinitions. */
export interface Extensions extends Lifetime {
  /** Logs that the OpenAPI documents omit a kind, and sets a condition on its definition. */
  unpublishable(kind: AnyKind, why: unknown): void;
}

/** Components and options of `createExtensions`. */
export interface ExtensionsOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly environment: Environment;
  /** Returns the converter of a definition that has a conversion webhook. */
  readonly converterOf: ConverterOf;
}

/**
 * Creates the component that reconciles CustomResourceDefinitions. It accepts their names, serves their
 * kinds, and deletes the remaining objects of a deleted definition. Everything is derived from the stored
 * definitions, so a restart at any point loses nothing.
 */
export function createExtensions(options: ExtensionsOptions): Extensions {
  const { vocabulary } = options.catalogue.kept;
  const kind = options.catalogue.kept.byResource(
    vocabulary.group('apiextensions'),
    'v1',
    'customresourcedefinitions',
  );
  return kind ? new ServedExtensions(options, kind) : NONE;
}

/** Placeholder for a scheme without the kind CustomResourceDefinition. */
const NONE: Extensions = {
  name: 'custom kinds',
  start: async () => {},
  stop: async () => {},
  unpublishable: () => {},
};

/** Kinds that are served for one definition, and the fingerprint of the definition. */
interface Serving {
  readonly fingerprint: string;
  readonly added: readonly CustomKind[];
  readonly served: readonly AnyKind[];
  readonly stored: AnyKind;
}

class ServedExtensions implements Extensions {
  readonly name = 'custom kinds';
  readonly #options: ExtensionsOptions;
  readonly #kind: AnyKind;
  readonly #reader: ObjectReader<CustomResourceDefinition>;
  readonly #serving = new Map<string, Serving>();
  /** Names of definitions to reconcile, in order of arrival. */
  readonly #queue = new Set<string>();
  readonly #attempts = new Map<string, number>();
  readonly #unpublished: Unpublished;
  readonly #timers = new Set<Timer>();
  /** Pending deletions of the objects of definitions, by UID of the definition. */
  readonly #deletions = new Map<string, Promise<void>>();
  #work: Promise<void> | undefined;
  /** Work budget of the current definition. Definitions may be large, so they are processed in slices. */
  #budget = WorkBudget.unlimited();
  #unsubscribe: (() => void) | undefined;
  #abort = new AbortController();

  constructor(options: ExtensionsOptions, kind: AnyKind) {
    this.#options = options;
    this.#kind = kind;
    this.#unpublished = new Unpublished(options.environment.log);
    this.#reader = options.registry.reader(kind as unknown as Kind<CustomResourceDefinition>);
  }

  /** Starts the reconciliation. Resolves once the kinds of all established definitions are served. */
  async start(): Promise<void> {
    this.#abort = new AbortController();
    for (const definition of this.#reader.list())
      if (isTrue(definition, 'Established'))
        await this.#serve(definition).catch((thrown: unknown) =>
          this.#retryLater(nameOf(definition), thrown),
        );
    this.#publish();
    this.#unsubscribe = this.#reader.subscribe((definition, previous) => {
      const changed = definition ?? previous;
      if (!changed) return;
      this.#enqueue(nameOf(changed));
      if (!definition) this.#enqueueGroup(changed);
    });
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the server is stopping'));
    this.#unsubscribe?.();
    for (const timer of this.#timers) this.#options.environment.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#queue.clear();
    await this.#work;
    await Promise.all(this.#deletions.values());
  }

  unpublishable(kind: AnyKind, why: unknown): void {
    const name = `${kind.plural}.${this.#vocabulary.group(kind.group)}`;
    this.#unpublished.add(name, kind, why);
    this.#enqueue(name);
  }

  #enqueue(name: string): void {
    if (this.#abort.signal.aborted) return;
    this.#queue.add(name);
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
  }

  /**
   * Enqueues the definitions in the same group that lack accepted names, as the changed definition may have
   * released the names that they request.
   */
  #enqueueGroup({ spec }: Definition): void {
    for (const each of this.#reader.list())
      if (each.spec?.group === spec?.group && !isTrue(each, 'NamesAccepted')) this.#enqueue(nameOf(each));
  }

  /**
   * Reconciles one definition at a time, so that each name is assigned to the first definition that requests
   * it.
   */
  async #run(): Promise<void> {
    for (const name of this.#queue) {
      this.#queue.delete(name);
      try {
        await this.#reconcile(name);
        this.#attempts.delete(name);
      } catch (thrown) {
        this.#retryLater(name, thrown);
      }
    }
  }

  #retryLater(name: string, thrown: unknown): void {
    const { clock, random, log } = this.#options.environment;
    if (this.#abort.signal.aborted || isNotFound(thrown)) return;
    const attempt = (this.#attempts.get(name) ?? 0) + 1;
    this.#attempts.set(name, attempt);
    const delayMs = backoffMs(attempt, random);
    if (!isConflict(thrown))
      log.warn(
        { err: asError(thrown), definition: name, delayMs },
        'reconciliation of a custom resource definition failed',
      );
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue(name);
    }, delayMs);
    this.#timers.add(timer);
  }

  async #reconcile(name: string): Promise<void> {
    this.#budget = WorkBudget.unlimited();
    const definition = await this.#reader.live('', name);
    if (!definition) return this.#forget(name);
    charged(this.#budget, () => chargeTree(definition));
    if (this.#budget.isDue) await this.#budget.pause();
    if (isDeleted(definition)) {
      if (isTrue(definition, 'Established')) await this.#serveAndPublish(definition);
      this.#terminate(definition);
      return;
    }
    const names = decideStatus(definition, await this.#all(), this.#vocabulary, this.#now());
    const named: Definition = { ...definition, status: names };
    // The kind is served before the condition is set, so that a client that waits for the condition can use
    // the kind immediately.
    if (isTrue(named, 'Established')) await this.#serveAndPublish(named);
    const served = this.#serving.get(name)?.served ?? [];
    const status = this.#unpublished.shownIn(names, served, this.#now());
    const decided: Definition = { ...definition, status };
    if (sameStatus(definition.status, status)) return;
    await this.#writeStatus(decided);
    if (!isDeepStrictEqual(definition.status?.acceptedNames, status.acceptedNames))
      this.#enqueueGroup(decided);
  }

  /** Lists all definitions from the store, as the cache may lack the last write of this loop. */
  async #all(): Promise<readonly Definition[]> {
    const { items } = await this.#options.registry.of(this.#kind).list(EVERYTHING);
    const all: Definition[] = [];
    for (const item of items) {
      all.push(charged(this.#budget, () => item.object as Definition));
      if (this.#budget.isDue) await this.#budget.pause();
    }
    return all;
  }

  async #serveAndPublish(definition: Definition): Promise<void> {
    const before = this.#serving.get(nameOf(definition));
    const now = await this.#serve(definition);
    if (now === before) return;
    this.#publish();
    await this.#options.registry.remove((before?.added ?? []).map(({ kind }) => kind));
  }

  /** Registers the kinds of a definition, unless they are unchanged. */
  async #serve(definition: Definition): Promise<Serving> {
    const name = nameOf(definition);
    const before = this.#serving.get(name);
    if (this.#budget.isDue) await this.#budget.pause();
    const fingerprint = charged(this.#budget, () => fingerprintOf(definition));
    if (before?.fingerprint === fingerprint) return before;
    const terminating = isDeleted(definition);
    if (this.#budget.isDue) await this.#budget.pause();
    const making = inSteps(this.#budget, () =>
      customKinds(definition as CustomResourceDefinition, this.#vocabulary),
    );
    const kinds = making instanceof Promise ? await making : making;
    const stored = kinds.stored;
    const served = kinds.served.map((kind) => (terminating ? { ...kind, terminating } : kind));
    const kept = kinds.served.includes(stored) ? served : [...served, stored];
    const convert = this.#options.converterOf(definition);
    const added = kept.map((kind): CustomKind => ({
      kind,
      ...(convert && { conversion: { convert, storedAs: stored } }),
    }));
    await this.#options.registry.add(added);
    const serving = { fingerprint, added, served, stored: kept.find(isVersion(stored)) ?? stored };
    this.#serving.set(name, serving);
    return serving;
  }

  #publish(): void {
    this.#options.catalogue.replaceCustom([...this.#serving.values()].flatMap(({ served }) => served));
  }

  async #forget(name: string): Promise<void> {
    const before = this.#serving.get(name);
    if (!before) return;
    this.#serving.delete(name);
    this.#publish();
    await this.#options.registry.remove(before.added.map(({ kind }) => kind));
  }

  /**
   * Deletes all objects of the kind, then removes the finalizer from the definition. Runs concurrently with
   * other reconciliations, as the deletion may take long.
   */
  #terminate(definition: Definition): void {
    const { uid = '', finalizers = [] } = definition.metadata ?? {};
    if (this.#deletions.has(uid) || !finalizers.includes(cleanupFinalizer(this.#vocabulary))) return;
    const work = this.#deleteObjects(definition)
      .catch((thrown: unknown) => this.#retryLater(nameOf(definition), thrown))
      .finally(() => this.#deletions.delete(uid));
    this.#deletions.set(uid, work);
  }

  async #deleteObjects(definition: Definition): Promise<void> {
    const { registry, environment } = this.#options;
    const name = nameOf(definition);
    const serving = this.#serving.get(name);
    if (!serving) await this.#recordTermination(name, definition, NEVER_ESTABLISHED);
    else {
      await this.#recordTermination(name, definition, IN_PROGRESS);
      const { finding, done } = await deleteInstances(
        registry,
        serving.stored,
        this.#context(),
        environment.clock,
      );
      await this.#recordTermination(name, definition, finding);
      if (!done) throw new Error(finding.message);
    }
    const live = await this.#reader.live('', name);
    if (!live || live.metadata?.uid !== definition.metadata?.uid) return;
    const own = cleanupFinalizer(this.#vocabulary);
    const finalizers = (live.metadata?.finalizers ?? []).filter((each) => each !== own);
    const body = { ...live, metadata: { ...live.metadata, finalizers } };
    await registry.of(this.#kind).update('', name, '', body, this.#context());
    this.#attempts.delete(name);
  }

  /** Writes the progress of the deletion to the status. */
  async #recordTermination(name: string, { metadata }: Definition, finding: Finding): Promise<void> {
    const live = await this.#reader.live('', name);
    if (!live || live.metadata?.uid !== metadata?.uid) return;
    const known = live.status?.conditions ?? [];
    const conditions = withCondition(known, finding, this.#now());
    const status = {
      acceptedNames: { plural: '', kind: '' },
      storedVersions: [],
      ...live.status,
      conditions,
    };
    await this.#writeStatus({ ...live, status });
  }

  async #writeStatus(definition: Definition): Promise<void> {
    const { registry } = this.#options;
    await registry.of(this.#kind).update('', nameOf(definition), 'status', definition, this.#context());
  }

  #context(): WriteContext {
    return ownWrite(this.#abort.signal, undefined, this.#budget);
  }

  get #vocabulary() {
    return this.#options.catalogue.kept.vocabulary;
  }

  #now(): string {
    return toTime(this.#options.environment.clock.now());
  }
}

const IN_PROGRESS: Finding = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const NEVER_ESTABLISHED: Finding = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

const nameOf = ({ metadata }: Definition): string => metadata?.name ?? '';

const isDeleted = ({ metadata }: Definition): boolean => metadata?.deletionTimestamp !== undefined;

const isVersion =
  ({ version }: AnyKind) =>
  (kind: AnyKind): boolean =>
    kind.version === version;

/** Returns a fingerprint of the definition. Definitions with the same fingerprint define the same kinds. */
function fingerprintOf({ metadata, spec, status }: Definition): string {
  chargeTree(spec);
  return writeJson([metadata?.uid, spec, status?.acceptedNames, metadata?.deletionTimestamp !== undefined]);
}
