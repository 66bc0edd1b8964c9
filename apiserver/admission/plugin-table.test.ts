import { describe, expect, it } from 'vitest';
import {
  admissionPluginNames,
  checkAdmissionChoice,
  chosenPlugins,
  deprecatedPlugins,
} from './plugin-table.ts';

const none: readonly string[] = [];

describe('admission plugin table', () => {
  it("selects upstream's default plugins in upstream's order", () => {
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

  it('selects enabled plugins and omits disabled ones, always in the same order', () => {
    const chosen = chosenPlugins({
      enable: ['AlwaysDeny', 'AlwaysPullImages', 'LimitRanger'],
      disable: ['ServiceAccount', 'AlwaysAdmit'],
    });
    expect(chosen).toEqual(admissionPluginNames.filter((name) => chosen.includes(name)));
    expect(chosen).toEqual(expect.arrayContaining(['AlwaysDeny', 'AlwaysPullImages', 'LimitRanger']));
    expect(chosen).not.toContain('ServiceAccount');
  });

  it('selects deprecated plugins only if enabled, and lists them', () => {
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

  // Upstream's `AllOrderedPlugins` of Kubernetes 1.24, and DenyEscalatingExec and DenyExecOnPrivileged, which
  // were removed earlier.
  it("contains every plugin of upstream, in upstream's order", () => {
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
  ])('does not allow to enable %j and disable %j', (enable, disable, message) => {
    expect(() => checkAdmissionChoice({ enable, disable })).toThrow(message);
  });
});
