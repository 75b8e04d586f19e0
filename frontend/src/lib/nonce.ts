/** Under which this page may add style sheets, as its Content Security Policy says; empty where there is no policy. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? ""
}

/** Dialogs lock scrolling by a style sheet; the package that adds it looks for the nonce under webpack's name. */
export function passOnNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: nonce() })
}
