import { describe, expect, it } from 'vitest';
import { goDiff } from './diff.ts';
import { goDump } from './dump.ts';

const POD = {
  containers: [
    {
      name: 'c',
      image: 'img',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  serviceAccountName: 'default',
  automountServiceAccountToken: false,
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('goDiff', () => {
  it('returns an empty string for equal specs', () => {
    expect(goDiff('core.PodSpec', POD, structuredClone(POD))).toBe('');
  });

  it('prints a changed field between its neighbours and counts the other fields', () => {
    expect(goDiff('core.PodSpec', POD, { ...POD, nodeName: 'n1' })).toBe(
      [
        '  core.PodSpec{',
        '  \t... // 9 identical fields',
        '  \tServiceAccountName:           "default",',
        '  \tAutomountServiceAccountToken: &false,',
        '- \tNodeName:                     "",',
        '+ \tNodeName:                     "n1",',
        '  \tSecurityContext:              &{},',
        '  \tImagePullSecrets:             nil,',
        '  \t... // 17 identical fields',
        '  }',
        '',
      ].join('\n'),
    );
  });

  it('compares lists of structs item by item', () => {
    const next = structuredClone(POD) as { containers: object[] };
    Object.assign(next.containers[0] ?? {}, { env: [{ name: 'A', value: 'B' }] });
    expect(goDiff('core.PodSpec', POD, next)).toBe(
      [
        '  core.PodSpec{',
        '  \tVolumes:        nil,',
        '  \tInitContainers: nil,',
        '  \tContainers: []core.Container{',
        '  \t\t{',
        '  \t\t\t... // 5 identical fields',
        '  \t\t\tPorts:        nil,',
        '  \t\t\tEnvFrom:      nil,',
        '- \t\t\tEnv:          nil,',
        '+ \t\t\tEnv:          []core.EnvVar{{Name: "A", Value: "B"}},',
        '  \t\t\tResources:    {},',
        '  \t\t\tVolumeMounts: nil,',
        '  \t\t\t... // 12 identical fields',
        '  \t\t},',
        '  \t},',
        '  \tEphemeralContainers: nil,',
        '  \tRestartPolicy:       "Always",',
        '  \t... // 26 identical fields',
        '  }',
        '',
      ].join('\n'),
    );
  });

  it('prints lists of strings completely and equal values in one line', () => {
    expect(goDiff('core.PersistentVolumeClaimSpec', CLAIM, { ...CLAIM, accessModes: ['ReadOnlyMany'] })).toBe(
      [
        '  core.PersistentVolumeClaimSpec{',
        '- \tAccessModes: []core.PersistentVolumeAccessMode{"ReadWriteOnce"},',
        '+ \tAccessModes: []core.PersistentVolumeAccessMode{"ReadOnlyMany"},',
        '  \tSelector:    nil,',
        '  \tResources:   {Requests: {s"storage": {i: {...}, s: "1Gi", Format: "BinarySI"}}},',
        '  \t... // 5 identical fields',
        '  }',
        '',
      ].join('\n'),
    );
  });

  it("prints quantities in Go's internal form", () => {
    const next = { ...CLAIM, resources: { requests: { storage: '2Gi' } } };
    const shown = (mark: string, bytes: number, text: string): string[] => [
      `${mark} \t\tRequests: core.ResourceList{`,
      `${mark} \t\t\ts"storage": {i: resource.int64Amount{value: ${bytes}}, s: "${text}", Format: "BinarySI"},`,
      `${mark} \t\t},`,
    ];
    expect(goDiff('core.PersistentVolumeClaimSpec', CLAIM, next)).toBe(
      [
        '  core.PersistentVolumeClaimSpec{',
        '  \tAccessModes: {"ReadWriteOnce"},',
        '  \tSelector:    nil,',
        '  \tResources: core.ResourceRequirements{',
        '  \t\tLimits: nil,',
        ...shown('-', 2 ** 30, '1Gi'),
        ...shown('+', 2 ** 31, '2Gi'),
        '  \t},',
        '  \tVolumeName:       "",',
        '  \tStorageClassName: nil,',
        '  \t... // 3 identical fields',
        '  }',
        '',
      ].join('\n'),
    );
  });

  it('prints added and removed items', () => {
    const of = (...modes: string[]) => ({ ...CLAIM, accessModes: modes });
    expect(
      goDiff('core.PersistentVolumeClaimSpec', of('ReadWriteOnce'), of('ReadWriteOnce', 'ReadOnlyMany')),
    ).toContain('  \t\t"ReadWriteOnce",\n+ \t\t"ReadOnlyMany",\n');
  });
});

describe('goDump', () => {
  it("prints every field of a template's structs, and addresses for pointers", () => {
    const text = goDump('core.PodTemplateSpec', { metadata: { labels: { b: '1', a: '2' } }, spec: POD });
    expect(text).toMatch(
      /^core\.PodTemplateSpec\{ObjectMeta:v1\.ObjectMeta\{Name:"", .*CreationTimestamp:time\.Date\(1, time\.January, 1, 0, 0, 0, 0, time\.UTC\), DeletionTimestamp:<nil>, DeletionGracePeriodSeconds:\(\*int64\)\(nil\), Labels:map\[string\]string\{"a":"2", "b":"1"\}, Annotations:map\[string\]string\(nil\), /,
    );
    expect(text).toContain(
      'Containers:[]core.Container{core.Container{Name:"c", Image:"img", Command:[]string(nil), ',
    );
    expect(text).toContain(
      'RestartPolicy:"Always", TerminationGracePeriodSeconds:(*int64)(0xc000000000), ActiveDeadlineSeconds:(*int64)(nil), DNSPolicy:"ClusterFirst", NodeSelector:map[string]string(nil), ',
    );
  });
});
