import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { apiServerCommandFlags, controllerManagerFlags } from '../../cli/flags/flag-tables.ts';
import { type FlagTable, parseFlags } from '../../cli/flags/flags.ts';
import { vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import { ROOT } from './process.ts';

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly build?: { readonly dockerfile_inline: string };
  readonly volumes: readonly string[];
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
  readonly depends_on?: { readonly [service: string]: { readonly condition: string } };
  readonly deploy?: { readonly replicas: number };
  readonly healthcheck?: {
    readonly test: readonly string[];
    readonly interval: string;
    readonly retries: number;
  };
}

const { services, volumes } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: { readonly [name: string]: Service };
  readonly volumes: object;
};
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const serviceOf = (name: string): Service => {
  const found = services[name];
  if (!found) throw new Error(`compose.yaml has no service ${name}`);
  return found;
};
const tables: { readonly [command: string]: FlagTable } = {
  apiserver: apiServerCommandFlags,
  'controller-manager': controllerManagerFlags,
};
const PINNED = /^[a-z]+:\d+\.\d+\.\d+(-bookworm(-slim)?)?$/;

describe('compose.yaml', () => {
  it('runs an API server, two controller managers and Redis', () => {
    expect(Object.keys(services)).toEqual(['apiserver', 'controller-manager', 'redis']);
    expect(serviceOf('controller-manager').deploy).toEqual({ replicas: 2 });
  });

  it.each(Object.keys(tables))('starts %s with known flags and valid values', (name) => {
    const [command, ...argv] = serviceOf(name).command;
    expect(command).toBe(name);
    expect(argv.length).toBeGreaterThan(0);
    expect(() => parseFlags(tables[name] ?? {}, argv)).not.toThrow();
  });

  it.each(Object.keys(services))('runs %s from a pinned image with a health check', (name) => {
    const { image, healthcheck, build } = serviceOf(name);
    expect(image).toMatch(PINNED);
    expect(healthcheck?.test[0]).toMatch(/^CMD(-SHELL)?$/);
    for (const part of healthcheck?.test ?? []) expect(part).toBeTypeOf('string');
    expect(healthcheck?.retries).toBeGreaterThan(0);
    if (build) expect(/^FROM (\S+)$/m.exec(build.dockerfile_inline)?.[1]).toMatch(PINNED);
  });

  it('builds the image with the version of the program', () => {
    expect(serviceOf('apiserver').image).toBe(`orch:${manifest.version}`);
    expect(serviceOf('controller-manager').image).toBe(serviceOf('apiserver').image);
  });

  it('persists the data of Redis without evicting keys', () => {
    const { command, volumes: mounts } = serviceOf('redis');
    const setting = (name: string): string | undefined => command[command.indexOf(`--${name}`) + 1];
    expect(setting('appendonly')).toBe('yes');
    expect(setting('maxmemory-policy')).toBe('noeviction');
    expect(mounts).toEqual(['redis:/data']);
    const { 'redis-url': url } = parseFlags(
      controllerManagerFlags,
      serviceOf('controller-manager').command.slice(1),
    );
    expect(new URL(url).hostname).toBe('redis');
  });

  it('makes the controller managers wait for the API server and Redis, with read-only access to the shared directory', () => {
    const { depends_on: waits, volumes: mounts } = serviceOf('controller-manager');
    expect(waits).toEqual({
      apiserver: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
    expect(mounts).toEqual(['data:/data:ro']);
    expect(serviceOf('apiserver').volumes).toEqual(['data:/data']);
    expect(Object.keys(volumes)).toEqual(['data', 'redis']);
  });

  it('reaches the API server at the probed ports by a name in its certificate', () => {
    const served = parseFlags(apiServerCommandFlags, serviceOf('apiserver').command.slice(1));
    const managed = parseFlags(controllerManagerFlags, serviceOf('controller-manager').command.slice(1));
    const master = new URL(managed.master);
    expect(Number(master.port)).toBe(served['secure-port']);
    expect(serviceOf('apiserver').networks?.default.aliases).toContain(master.hostname);
    expect(vocabularyOf(served.vocabulary).serviceNames).toContain(master.hostname);
    const probe = (name: string): string => serviceOf(name).healthcheck?.test.join(' ') ?? '';
    expect(probe('apiserver')).toContain(`https://localhost:${served['secure-port']}/readyz`);
    expect(probe('controller-manager')).toContain(`http://127.0.0.1:${managed['healthz-port']}/healthz`);
  });
});
