import { describe, expect, it } from 'vitest';
import type { Container } from '../../types/core-v1-container.ts';
import { validateContainers } from './containers.ts';

const frozen = (changes: Partial<Container> = {}): Container =>
  Object.freeze({
    name: 'c',
    image: 'i:1',
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePolicy: 'File',
    volumeMounts: Object.freeze([Object.freeze({ name: 'data', mountPath: '/data' })]) as never,
    ...changes,
  });

const faults = (container: Container, volumes: readonly string[], path = 'spec.containers') =>
  validateContainers([container], new Map(volumes.map((name) => [name, { name }])), path).map(
    ({ field }) => field,
  );

const NO_PORT = { containerPort: 0, protocol: 'TCP' } as const;
const FAULT = 'spec.containers[0].ports[0].containerPort';

describe('validateContainers', () => {
  it('checks the mounts of a frozen container against the volumes in every write', () => {
    const container = frozen();
    expect(faults(container, ['data'])).toEqual([]);
    expect(faults(container, [], 'spec.template.spec.containers')).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name',
    ]);
    expect(faults(container, ['data'])).toEqual([]);
  });

  it('reports the errors of an invalid frozen container in every write', () => {
    const container = frozen({ ports: [NO_PORT] });
    for (const _write of [1, 2]) expect(faults(container, ['data'])).toEqual([FAULT]);
  });

  it('validates a container that is not frozen again after a change', () => {
    const container = { ...frozen() };
    expect(faults(container, ['data'])).toEqual([]);
    container.ports = [NO_PORT];
    expect(faults(container, ['data'])).toEqual([FAULT]);
  });
});
