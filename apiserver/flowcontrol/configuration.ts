import { fixedFlowSchemas, priorityLevels } from '../../api/groups/flowcontrol/index.ts';
import { Classifier, type SchemaSpec } from './classifier.ts';
import {
  type LevelSpec,
  type LevelEnvironment,
  type Named,
  PriorityLevel,
  Route,
  isUsable,
} from './priority-level.ts';

/** Concurrency limit, header names and environment of a configuration. */
export interface ConfigurationOptions extends LevelEnvironment {
  /** Total number of seats of all limited levels. */
  readonly concurrencyLimit: number;
  readonly headerNames: { readonly schema: string; readonly level: string };
}

const DEFAULT_LEVELS = priorityLevels.filter(({ fixed }) => fixed);

/** Creates a mandatory level or schema for which no object exists. */
const mandatory = <S>({ name, spec }: { readonly name: string; readonly spec: S }): Named<S> => ({
  name,
  uid: '',
  spec,
});

/** Compares two schemas by precedence, and by name if their precedence is equal, as upstream does. */
const byPrecedence = (a: Named<SchemaSpec>, b: Named<SchemaSpec>): number =>
  (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) || (a.name < b.name ? -1 : 1);

/**
 * Effective priority levels and flow schemas, which always include the mandatory ones. A level whose object
 * was deleted keeps its seats until its requests have ended. Waiting requests keep their positions through
 * every change.
 */
export class Configuration {
  readonly #options: ConfigurationOptions;
  #levels = new Map<string, PriorityLevel>();
  #classifier: Classifier<Route>;

  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.#classifier = this.#applied([], []);
  }

  get classifier(): Classifier<Route> {
    return this.#classifier;
  }

  /** Returns the levels, sorted by name. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  apply(levels: readonly Named<LevelSpec>[], schemas: readonly Named<SchemaSpec>[]): void {
    this.#classifier = this.#applied(levels, schemas);
  }

  /** Removes a deleted level once it has no requests. The other levels get its seats. */
  forget(name: string): void {
    const level = this.#levels.get(name);
    if (level === undefined || !level.quiescing || !level.isIdle) return;
    this.#levels.delete(name);
    this.#share();
  }

  #applied(levels: readonly Named<LevelSpec>[], schemas: readonly Named<SchemaSpec>[]): Classifier<Route> {
    const wanted = new Map(levels.filter(isUsable).map((level) => [level.name, level]));
    // Skips schemas that refer to a missing level. A mandatory level without an object is treated as missing
    // here.
    const usable = schemas.filter(({ spec }) => wanted.has(spec.priorityLevelConfiguration.name));
    for (const level of DEFAULT_LEVELS) if (!wanted.has(level.name)) wanted.set(level.name, mandatory(level));
    const before = this.#levels;
    this.#levels = new Map([...wanted.values()].map((level) => [level.name, this.#levelOf(level, before)]));
    for (const [name, level] of before) {
      if (wanted.has(name) || level.isIdle) continue;
      level.quiescing = true;
      this.#levels.set(name, level);
    }
    this.#share();
    return this.#classifierOf(usable);
  }

  #levelOf(wanted: Named<LevelSpec>, before: ReadonlyMap<string, PriorityLevel>): PriorityLevel {
    const known = before.get(wanted.name);
    if (known === undefined) return new PriorityLevel(wanted, this.#options);
    known.uid = wanted.uid;
    known.spec = wanted.spec;
    known.quiescing = false;
    return known;
  }

  /**
   * Divides the seats by the levels' shares. Each result is rounded up, so the sum may exceed the limit
   * slightly.
   */
  #share(): void {
    const limited = [...this.#levels.values()].filter(({ queueSet }) => queueSet !== undefined);
    const sum = limited.reduce((total, { shares }) => total + shares, 0);
    for (const level of limited)
      level.setLimit(Math.max(1, Math.ceil((this.#options.concurrencyLimit * level.shares) / sum)));
  }

  #classifierOf(schemas: readonly Named<SchemaSpec>[]): Classifier<Route> {
    const sorted = [...schemas].sort(byPrecedence);
    const names = new Set(sorted.map(({ name }) => name));
    const [first, last] = fixedFlowSchemas.map(mandatory);
    if (first !== undefined && !names.has(first.name)) sorted.unshift(first);
    if (last !== undefined && !names.has(last.name)) sorted.push(last);
    const entries = sorted.flatMap((schema) => {
      const level = this.#levels.get(schema.spec.priorityLevelConfiguration.name);
      if (level === undefined) return [];
      const { metrics, headerNames } = this.#options;
      return [{ spec: schema.spec, value: new Route(schema, level, metrics, headerNames) }];
    });
    const fallback = entries.find(({ value }) => value.schema === last?.name) ?? entries.at(-1);
    if (fallback === undefined) throw new TypeError('no flow schema matches all requests');
    return new Classifier(entries, fallback.value);
  }
}
