import type { PermissionsOf } from '../api/rbac/index.ts';

/**
 * Permissions of the three controllers of CertificateSigningRequests, which share one ServiceAccount, as
 * upstream.
 */
export const certificatePermissions: PermissionsOf = (r, { signers }) => ({
  account: 'certificate-controller',
  everywhere: [
    r.can('delete get list watch', 'certificates', 'certificatesigningrequests'),
    r.can('update', 'certificates', 'certificatesigningrequests/approval certificatesigningrequests/status'),
    r.can('approve', 'certificates', 'signers', [signers.nodeClient]),
    r.can('sign', 'certificates', 'signers', [
      signers.apiserverClient,
      signers.nodeClient,
      signers.nodeServing,
      signers.legacyUnknown,
    ]),
    r.can('create', 'authorization', 'subjectaccessreviews'),
    r.events,
  ],
});
