# Completes KEY=VALUE in configurations of the form @FORM@: the next part of a dotted path, or the values of a key.
_@ID@_setting_@FORM@() {
  local typed=$PREFIX parent="" path_=":" segment list
  if [[ $typed == *=* ]]; then
    parent=${typed%%=*}
  elif [[ $typed == *.* ]]; then
    parent=${typed%.*}
  fi
  # In keys of the table, [] stands for the name or number of a list element.
  for segment in ${(s:.:)parent}; do
    list="${path_}[]"
    if (( ${+_@ID@_keys_@FORM@[$list]} )); then
      path_=$list
    else
      [[ $path_ == : ]] || path_+=.
      path_+=$segment
    fi
  done
  if [[ $typed == *=* ]]; then
    compset -P '*='
    [[ -n ${_@ID@_key_words_@FORM@[$path_]} ]] && compadd -- ${=_@ID@_key_words_@FORM@[$path_]}
    return
  fi
  compset -P '*.'
  list="${path_}[]"
  (( ${+_@ID@_keys_@FORM@[$list]} )) && compadd -S '' -- 0. ${^$(_@ID@_names $parent)}.
  [[ -n ${_@ID@_keys_@FORM@[$path_]} ]] && compadd -S '' -- ${=_@ID@_keys_@FORM@[$path_]}
}
