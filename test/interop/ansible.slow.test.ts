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
const AS_IT_WAS = false;

describe.skipIf(isMissing(ansible))('a playbook of kubernetes.core', () => {
  let told: Told;
  beforeAll(async () => {
    told = await playScript(ansible);
  });

  it.each<[string, unknown]>([
    ['cluster info', AS_IT_WAS],
    ['namespace', CHANGED],
    ['namespace again', AS_IT_WAS],
    ['deployment', CHANGED],
    ['deployment dry', CHANGED],
    ['deployment as it is', AS_IT_WAS],
    ['scale', CHANGED],
    ['scale again', AS_IT_WAS],
    ['patch by operations', CHANGED],
    ['selected', ['web']],
    ['apply', CHANGED],
    ['apply less', CHANGED],
    ['apply the same', AS_IT_WAS],
    ['apply at the server', CHANGED],
    ['replace', CHANGED],
    ['service', CHANGED],
    ['service again', AS_IT_WAS],
    ['definition', CHANGED],
    ['custom object', CHANGED],
    ['node', CHANGED],
    ['cordon', CHANGED],
    ['drain', AS_IT_WAS],
    ['taint', CHANGED],
    ['definition gone', CHANGED],
    ['namespace gone', CHANGED],
    ['found', []],
  ])('does what the task says, and nothing twice: %s', (step, value) => {
    expect(told.get(step)).toEqual({ value });
  });

  it.each([
    ['patch whose test fails', 'Unprocessable Entity'],
    ["apply what is another's", 'Conflict'],
    ['invalid', 'Unprocessable Entity'],
    ['custom object of a wrong type', 'Unprocessable Entity'],
  ])('is told of a refusal: %s', (step, error) => {
    expect(told.get(step)).toEqual({ error });
  });
});
