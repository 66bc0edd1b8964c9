import { useEffect, useState } from 'preact/hooks';
import type { CertificateRequestDocument } from '../../model/certificate-request.ts';
import type { ActedObject } from '../../model/acts/act.ts';
import { sendForJson } from '../access.ts';

/** The parsed certificate request of an object, or the reason why it cannot be read. */
export interface ReadRequest {
  readonly content?: CertificateRequestDocument;
  readonly problem?: string;
}

/** Lets the server parse the certificate request of an object. Undefined for an object without one. */
export function useCertificateRequest(object: ActedObject | undefined): ReadRequest | undefined {
  const [read, show] = useState<ReadRequest & { readonly of?: string }>({});
  const request = object?.kind === 'CertificateSigningRequest' ? object.spec?.request : undefined;
  useEffect(() => {
    if (request === undefined) return undefined;
    let isCurrent = true;
    const path = `/journal/v1/certificate-request?${new URLSearchParams({ request })}`;
    sendForJson<CertificateRequestDocument>(path).then(
      (content) => isCurrent && show({ content, of: request }),
      (thrown: unknown) =>
        isCurrent &&
        show({ problem: thrown instanceof Error ? thrown.message : String(thrown), of: request }),
    );
    return () => void (isCurrent = false);
  }, [request]);
  if (request === undefined) return undefined;
  return read.of === request ? read : {};
}

/** Subject, names, key, usages and signer of a certificate request. */
export function RequestContent({ read, object }: { read: ReadRequest; object: ActedObject | undefined }) {
  const { content, problem } = read;
  const { signerName = '', usages = [] } = object?.spec ?? {};
  if (problem !== undefined) return <p class="warning">The certificate request cannot be read: {problem}</p>;
  if (content === undefined) return <p class="soft">Reading the certificate request…</p>;
  const names = [
    ...content.dnsNames.map((name) => `DNS ${name}`),
    ...content.ipAddresses.map((name) => `IP ${name}`),
    ...content.emailAddresses.map((name) => `email ${name}`),
    ...content.uris.map((name) => `URI ${name}`),
    ...content.otherKinds.map((kind) => `${kind} (not shown)`),
  ];
  const rows: readonly (readonly [name: string, values: readonly string[]])[] = [
    ['common name', [content.commonName || 'none']],
    ['organizations', content.organizations],
    ['alternative names', names],
    ['key', [`${content.key}${content.isSigned ? '' : ' – the request is not signed with this key'}`]],
    ['usages', usages],
    ['signer', [signerName]],
  ];
  return (
    <dl class="terms request-content">
      {rows.map(([name, values]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {values.length === 0 ? (
              <span class="soft">none</span>
            ) : (
              values.map((value) => <span key={value}>{value}</span>)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
