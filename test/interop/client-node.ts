import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordNotRun } from '../services.ts';

/**
 * Types of `@kubernetes/client-node` that the tests use. They are declared here, because the package is not
 * installed where the project is built.
 */
export interface ClientNode {
  readonly KubeConfig: new () => KubeConfig;
  readonly CoreV1Api: ApiConstructor<CoreV1Api>;
  readonly BatchV1Api: ApiConstructor<BatchV1Api>;
  readonly Watch: new (config: KubeConfig) => {
    watch(
      path: string,
      query: object,
      each: (type: string, object: KubeObject) => void,
      done: (error: unknown) => void,
    ): Promise<AbortController>;
  };
  readonly PatchStrategy: {
    readonly MergePatch: string;
    readonly JsonPatch: string;
    readonly StrategicMergePatch: string;
  };
  readonly V1MicroTime: new () => Date;
  setHeaderOptions(key: string, value: string): object;
  makeInformer<T>(config: KubeConfig, path: string, list: () => Promise<KubeList<T>>): KubeInformer<T>;
}

export interface KubeConfig {
  loadFromFile(path: string): void;
  makeApiClient<T>(api: ApiConstructor<T>): T;
}

type ApiConstructor<T> = new (...parts: never[]) => T;

export interface KubeObject {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: Date;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export interface KubeList<T> {
  readonly items: T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly _continue?: string };
}

interface Scope {
  readonly namespace: string;
}
interface Named extends Scope {
  readonly name: string;
}

interface CoreV1Api {
  listNamespacedConfigMap(
    options: Scope & {
      readonly limit?: number;
      readonly _continue?: string;
      readonly labelSelector?: string;
    },
  ): Promise<KubeList<KubeObject>>;
  createNamespacedConfigMap(options: Scope & { readonly body: object }): Promise<KubeObject>;
  readNamespacedConfigMap(options: Named): Promise<KubeObject>;
  replaceNamespacedConfigMap(options: Named & { readonly body: object }): Promise<KubeObject>;
  patchNamespacedConfigMap(options: Named & { readonly body: object }, headers: object): Promise<KubeObject>;
  deleteNamespacedConfigMap(options: Named): Promise<unknown>;
  deleteCollectionNamespacedConfigMap(options: Scope & { readonly labelSelector: string }): Promise<unknown>;
}

interface BatchV1Api {
  createNamespacedCronJob(options: Scope & { readonly body: object }): Promise<KubeObject>;
  listNamespacedCronJob(options: Scope): Promise<KubeList<KubeObject>>;
}

export interface KubeInformer<T> {
  on(verb: 'add' | 'update' | 'delete', run: (object: T) => void): void;
  on(verb: 'error' | 'connect', run: (error?: unknown) => void): void;
  get(name: string, namespace?: string): T | undefined;
  list(namespace?: string): readonly T[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

const entry = join(import.meta.dirname, 'node_modules', '@kubernetes', 'client-node', 'dist', 'index.js');

/** Returns the package if it is installed. Otherwise records the suite as skipped. */
export async function findClientNode(suite: string): Promise<ClientNode | undefined> {
  if (existsSync(entry)) return (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as ClientNode;
  recordNotRun(suite, '@kubernetes/client-node is not installed (npm ci --prefix test/interop)');
  return undefined;
}
