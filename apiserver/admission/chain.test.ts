import { describe, expect, it } from 'vitest';
import {
  ADMISSION_ORDER,
  admissionPluginNames,
  checkAdmissionChoice,
  chosenPlugins,
  deprecatedPlugins,
} from './chain.ts';

const none: readonly string[] = [];

describe('admission', () => {
  it('runs what the release runs by default, in its order', () => {
    expect(chosenPlugins({ enable: [], disable: [] })).toEqual([
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'TaintNodesByCondition',
      'PodSecurity',
      'Priority',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'CertificateApproval',
      'CertificateSigning',
      'CertificateSubjectRestriction',
      'DefaultIngressClass',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionWebhook',
      'ResourceQuota',
    ]);
  });

  it('runs what is enabled besides and not what is disabled, always in the same order', () => {
    const chosen = chosenPlugins({
      enable: ['AlwaysDeny', 'AlwaysPullImages', 'LimitRanger'],
      disable: ['ServiceAccount', 'AlwaysAdmit'],
    });
    expect(chosen).toEqual(ADMISSION_ORDER.filter((name) => chosen.includes(name)));
    expect(chosen).toEqual(expect.arrayContaining(['AlwaysDeny', 'AlwaysPullImages', 'LimitRanger']));
    expect(chosen).not.toContain('ServiceAccount');
  });

  it('runs nothing that is deprecated unless it is enabled, and knows what is', () => {
    expect(deprecatedPlugins({ enable: [], disable: [] })).toEqual([]);
    expect(deprecatedPlugins({ enable: admissionPluginNames, disable: [] })).toEqual([
      'AlwaysAdmit',
      'PodSecurityPolicy',
      'DenyEscalatingExec',
      'DenyExecOnPrivileged',
      'PersistentVolumeLabel',
      'AlwaysDeny',
    ]);
  });

  it('knows when each of its plugins runs, and none twice', () => {
    expect(new Set(ADMISSION_ORDER).size).toBe(ADMISSION_ORDER.length);
    expect(new Set(admissionPluginNames).size).toBe(admissionPluginNames.length);
  });

  it.each([
    [['Nothing'], none, 'enable-admission-plugins plugin "Nothing" is unknown'],
    [none, ['toString'], 'disable-admission-plugins plugin "toString" is unknown'],
    [
      ['LimitRanger', 'AlwaysDeny'],
      ['AlwaysDeny', 'LimitRanger'],
      '[AlwaysDeny LimitRanger] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
  ])('refuses to enable %j and disable %j', (enable, disable, message) => {
    expect(() => checkAdmissionChoice({ enable, disable })).toThrow(message);
  });
});
