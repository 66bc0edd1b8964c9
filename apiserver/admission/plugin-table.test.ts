import { describe, expect, it } from 'vitest';
import {
  admissionPluginNames,
  checkAdmissionChoice,
  chosenPlugins,
  deprecatedPlugins,
} from './plugin-table.ts';

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
    expect(chosen).toEqual(admissionPluginNames.filter((name) => chosen.includes(name)));
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

  // The list is upstream's `AllOrderedPlugins` of release 1.24; DenyEscalatingExec and DenyExecOnPrivileged were removed before it.
  it('has each plugin of the release, in the order of the release', () => {
    expect(admissionPluginNames).toEqual([
      'AlwaysAdmit',
      'NamespaceAutoProvision',
      'NamespaceLifecycle',
      'NamespaceExists',
      'SecurityContextDeny',
      'LimitPodHardAntiAffinityTopology',
      'LimitRanger',
      'ServiceAccount',
      'NodeRestriction',
      'TaintNodesByCondition',
      'AlwaysPullImages',
      'ImagePolicyWebhook',
      'PodSecurity',
      'PodSecurityPolicy',
      'PodNodeSelector',
      'Priority',
      'DefaultTolerationSeconds',
      'PodTolerationRestriction',
      'DenyEscalatingExec',
      'DenyExecOnPrivileged',
      'EventRateLimit',
      'ExtendedResourceToleration',
      'PersistentVolumeLabel',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'OwnerReferencesPermissionEnforcement',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'CertificateApproval',
      'CertificateSigning',
      'CertificateSubjectRestriction',
      'DefaultIngressClass',
      'DenyServiceExternalIPs',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionWebhook',
      'ResourceQuota',
      'AlwaysDeny',
    ]);
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
