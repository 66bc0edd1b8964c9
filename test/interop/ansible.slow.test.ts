import { beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedClient, type Told, isMissing, playScript } from './scripted.ts';

const ansible: ScriptedClient = {
  suite: 'Ansible',
  program: '/usr/bin/python3',
  probe: ['-c', 'import ansible, kubernetes, jsonpatch, ansible_collections.kubernetes.core'],
  script: 'playbook.py',
  packedIn: 'ansible python3-kubernetes python3-jsonpatch',
};

const CHANGED = true;
const UNCHANGED = false;

describe.skipIf(isMissing(ansible))('a playbook of kubernetes.core', () => {
  let told: Told;
  beforeAll(async () => {
    told = await playScript(ansible);
  });

  it.each<[string, unknown]>([
    ['cluster info', UNCHANGED],
    ['namespace', CHANGED],
    ['namespace again', UNCHANGED],
    ['deployment', CHANGED],
    ['deployment dry', CHANGED],
    ['deployment unchanged', UNCHANGED],
    ['scale', CHANGED],
    ['scale again', UNCHANGED],
    ['patch by operations', CHANGED],
    ['selected', ['web']],
    ['apply', CHANGED],
    ['apply with a removed field', CHANGED],
    ['apply the same', UNCHANGED],
    ['server-side apply', CHANGED],
    ['replace', CHANGED],
    ['service', CHANGED],
    ['service again', UNCHANGED],
    ['definition', CHANGED],
    ['custom object', CHANGED],
    ['node', CHANGED],
    ['cordon', CHANGED],
    ['drain', UNCHANGED],
    ['taint', CHANGED],
    ['definition deleted', CHANGED],
    ['namespace deleted', CHANGED],
    ['found', []],
  ])('executes each task once: %s', (step, value) => {
    expect(told.get(step)).toEqual({ value });
  });

  it.each([
    ['patch whose test fails', 'Unprocessable Entity'],
    ['apply to a foreign object', 'Conflict'],
    ['invalid', 'Unprocessable Entity'],
    ['custom object of a wrong type', 'Unprocessable Entity'],
  ])('reports an error response: %s', (step, error) => {
    expect(told.get(step)).toEqual({ error });
  });
});
