# Hands each request to the engine that is named, until the first count by a prefix, which kills it.
while read -r request; do
    case $request in
    *'"op":"EV4"'*)
        echo "no more memory" >&2
        kill -9 0
        ;;
    *) printf '%s\n' "$request" ;;
    esac
done | "$1"
