import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../types/core-v1-pod.ts';
import { created, decoded, texts, updated } from '../fixture.ts';
import { pods } from '../core-v1.ts';
import { pod } from './pod.fixture.ts';

describe('an update of a Pod', () => {
  const { object } = created(pods, pod({ activeDeadlineSeconds: 10 }));
  const errors = (change: (draft: Pod) => void) => texts(updated(pods, object, change).errors);

  it('may change the image, shorten the deadline and add tolerations', () => {
    expect(
      errors(({ spec }) => {
        if (!spec) return;
        for (const each of spec.containers) each.image = 'nginx:2';
        spec.activeDeadlineSeconds = 5;
        spec.tolerations = [{ key: 'k', operator: 'Exists' }];
      }),
    ).toEqual([]);
  });

  it('may contain existing ephemeral containers', () => {
    const looking = {
      name: 'e',
      image: 'i',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePolicy: 'File',
    };
    const later = { ...object, spec: { ...object.spec, ephemeralContainers: [looking] } } as Pod;
    const relabelled = (draft: Pod): object => (draft.metadata = { ...draft.metadata, labels: { a: 'b' } });
    expect(texts(updated(pods, later, relabelled).errors)).toEqual([]);
  });

  it('reports errors of the complete object before errors of the change', () => {
    expect(
      errors(({ spec }) => {
        for (const each of spec?.containers ?? []) each.name = 'A_';
      }),
    ).toEqual([
      expect.stringMatching(/^spec\.containers\[0\]\.name: Invalid value: "A_"/),
      expect.stringMatching(/^spec: Forbidden: pod updates may not change fields other than/),
    ]);
  });

  it.each<[string, object, string]>([
    [
      'without a name',
      {},
      'spec.ephemeralContainers[0]: Required value: ephemeral container requires a name',
    ],
    [
      'with the name of another container',
      { name: 'c', image: 'i' },
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
    ],
    ['without an image', { name: 'e' }, 'spec.ephemeralContainers[0][0].image: Required value'],
    [
      'that targets an unknown container',
      { name: 'e', image: 'i', targetContainerName: 'x' },
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
    ],
    [
      'with ports',
      { name: 'e', image: 'i', ports: [{ containerPort: 1 }] },
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ],
  ])('rejects an ephemeral container %s', (_what, added, error) => {
    const { errors: found } = updated(
      pods,
      object,
      ({ spec }) => spec && (spec.ephemeralContainers = [added as never]),
      'ephemeralcontainers',
    );
    expect(texts(found)).toContain(error);
  });

  it('to the status may not restart terminated containers or have two addresses of one family', () => {
    const ended = { name: 'c', state: { terminated: { exitCode: 0 } } };
    const once = created(pods, pod({ restartPolicy: 'Never' })).object;
    const previous = { ...once, status: { containerStatuses: [ended] } } as Pod;
    const report = (status: object) =>
      texts(updated(pods, previous, (draft) => (draft.status = status as PodStatus), 'status').errors);
    expect(report({ containerStatuses: [{ name: 'c', state: { running: {} } }] })).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
    expect(report({ containerStatuses: [ended], conditions: [{ type: 'a b', status: 'True' }] })).toEqual([
      expect.stringMatching(/^metadata\.conditions\[0\]\.Type: Invalid value: "a b": /),
    ]);
    expect(report({ podIPs: [{ ip: '10.0.0.1' }, { ip: 'x' }] })).toContain(
      'status.podIPs: Internal error: failed to check for dual stack with error:ip <nil> is invalid',
    );
    expect(report({ podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] })).toEqual([
      'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"10.0.0.1"}}: may specify no more than one IP for each IP family',
      'status.podIPs[1]: Duplicate value: core.PodIP{IP:"10.0.0.1"}',
    ]);
  });

  it('may not change other parts of the spec', () => {
    expect(errors(({ spec }) => spec && (spec.nodeName = 'n1'))).toEqual([
      expect.stringContaining(
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
      ),
    ]);
  });

  it('may not extend the deadline', () => {
    expect(errors(({ spec }) => spec && (spec.activeDeadlineSeconds = 20))).toEqual([
      'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
    ]);
  });

  it('may not remove or add a container', () => {
    expect(errors(({ spec }) => spec && (spec.containers = []))).toContain(
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    );
  });

  it('to the status sets both address fields, preferring the older field', () => {
    const report = (status: PodStatus) => decoded(pods, { ...object, status }).status;
    const both = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
    expect(report({ podIP: '10.0.0.1' })).toMatchObject(both);
    expect(report({ podIPs: [{ ip: '10.0.0.1' }] })).toMatchObject(both);
    expect(report({ podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::1' }] })).toMatchObject(
      both,
    );
    const dual = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] };
    expect(report(dual)).toMatchObject(dual);
  });

  it('to the status changes only the status', () => {
    const next = updated(
      pods,
      object,
      (draft) => {
        draft.status = { phase: 'Running' };
        draft.spec = { containers: [] };
      },
      'status',
    ).object;
    expect(next.spec).toEqual(object.spec);
    expect(next.status).toEqual({ phase: 'Running', qosClass: 'BestEffort' });
  });
});
