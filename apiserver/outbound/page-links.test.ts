import { describe, expect, it } from 'vitest';
import { createPageLinks } from './page-links.ts';

const upper = (page: string, size = page.length): string => {
  const links = createPageLinks((link) => link.toUpperCase());
  let text = '';
  for (let at = 0; at < page.length; at += size) text += links.write(page.slice(at, at + size));
  return text + links.end();
};

describe('links in a page', () => {
  it.each([
    ['<a href="/x">x</a>', '<a href="/X">x</a>'],
    [`<A class=b HREF = '/x' id="/y">`, `<A class=b HREF = '/X' id="/y">`],
    ['<a href=/x>', '<a href=/X>'],
    ['<a href=/x/>', '<a href=/X/>'],
    ['<img\n src="/x"\n longdesc="/y"/>', '<img\n src="/X"\n longdesc="/Y"/>'],
    ['<a title="a>b" href="/x">', '<a title="a>b" href="/X">'],
    [`<a title=it's href="/x">`, `<a title=it's href="/X">`],
    ['<form action="/x"><button formaction="/y">', '<form action="/X"><button formaction="/Y">'],
    [
      '<script src="/x">"<a href=/y>"</SCRIPT><a href=/z>',
      '<script src="/X">"<a href=/y>"</SCRIPT><a href=/Z>',
    ],
    ['<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="/Y">'],
    ['<!--><a href="/y">', '<!--><a href="/Y">'],
    ['<!doctype html><html manifest="/m">', '<!doctype html><html manifest="/M">'],
    ['<textarea><a href="/x"></textarea>', '<textarea><a href="/x"></textarea>'],
  ])('are rewritten in %j', (page, changed) => {
    expect(upper(page)).toBe(changed);
    for (const size of [1, 3, 7]) expect(upper(page, size)).toBe(changed);
  });

  it.each([
    '',
    'a < b <',
    '<a href',
    '<a href="/x',
    '<a href=',
    '<a href>',
    '<a href="">',
    '<a data-href="/x">',
    '<b href="/x">',
    '</a href="/x">',
    '<>',
    '<!--',
    '<?php "<a href=/x>',
    '<script>"</scrip',
  ])('are not found in %j', (page) => {
    for (const size of [1, 2, 100]) expect(upper(page, size)).toBe(page);
  });

  it('are not rewritten in a tag longer than the limit', () => {
    const page = `<img src="data:${'x'.repeat(10_000)}"><a href="/x">`;
    expect(upper(page, 1000)).toBe(page.replace('/x"', '/X"'));
  });

  it('are found in linear time', () => {
    // Each part could cause repeated scans of the text after it.
    for (const part of ['<', '<a ', '<a b=', '</a>', '<!--', '<a href="', '<script>', ' ', '/']) {
      const page = `<a${part.repeat(20_000)}`;
      expect(upper(page, 2048)).toBe(page);
    }
  });
});
