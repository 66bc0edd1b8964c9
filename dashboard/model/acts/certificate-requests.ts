import { objectPath } from '../object-path.ts';
import { type Act, type ActSource, type ActSubject, type ActedObject, JSON_TYPE } from './act.ts';

/** True for a CertificateSigningRequest that was neither approved nor denied. */
export const isUndecided = ({ resource, object }: ActSubject, certificatesGroup: string): boolean =>
  resource.group === certificatesGroup &&
  object?.kind === 'CertificateSigningRequest' &&
  object.metadata?.deletionTimestamp === undefined &&
  !object.status?.conditions?.some(({ type }) => /^(Approved|Denied|Failed)$/.test(type));

/** Approves or denies a certificate request. */
export const decisions: ActSource = (subject, { certificatesGroup }) => {
  const { object } = subject;
  if (object === undefined || !isUndecided(subject, certificatesGroup)) return [];
  return [decision(subject, object, APPROVED), decision(subject, object, DENIED)];
};

const APPROVED = {
  label: 'approve',
  type: 'Approved',
  effect: (signer: string) => `Lets the signer ${signer} issue the certificate.`,
  warning: 'Whoever holds the key then acts as this subject. An approval cannot be withdrawn.',
  needsReadableRequest: true,
};
const DENIED = {
  label: 'deny',
  type: 'Denied',
  effect: () => 'Refuses the certificate for good.',
  warning: 'A denial cannot be withdrawn: the client has to send another request.',
  needsReadableRequest: false,
};

function decision({ resource, name }: ActSubject, object: ActedObject, how: typeof APPROVED): Act {
  const { group, plural } = resource;
  const { signerName = '' } = object.spec ?? {};
  const [domain] = signerName.split('/');
  const signer = (of: string) => ({ verb: 'approve', group, resource: 'signers', name: of });
  return {
    label: how.label,
    effect: how.effect(signerName),
    needs: [
      {
        text: `update ${plural}/approval`,
        anyOf: [{ verb: 'update', group, resource: plural, subresource: 'approval', name }],
      },
      {
        text: `approve requests for the signer ${signerName}`,
        anyOf: [signer(signerName), signer(`${domain}/*`)],
      },
    ],
    done: `The request is ${how.type.toLowerCase()}.`,
    warning: how.warning,
    isDangerous: !how.needsReadableRequest,
    needsReadableRequest: how.needsReadableRequest,
    request: () => ({
      method: 'PUT',
      path: `${objectPath(resource, name)}/approval`,
      contentType: JSON_TYPE,
      body: {
        ...object,
        status: {
          ...object.status,
          conditions: [
            ...(object.status?.conditions ?? []),
            {
              type: how.type,
              status: 'True',
              reason: `Dashboard${how.type}`,
              message: `${how.type} in the dashboard`,
            },
          ],
        },
      },
    }),
  };
}
